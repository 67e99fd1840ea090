import torch
import torch.nn.functional as F
from torch import nn


def laplacian(adjacency):
    """Normalised from both sides, with a loop on each node."""
    looped = adjacency + torch.eye(adjacency.shape[0], device=adjacency.device)
    scale = looped.sum(1).pow(-0.5)
    return scale[:, None] * looped * scale[None, :]


def chebyshev(matrix, order):
    terms = [torch.eye(len(matrix), device=matrix.device), matrix]
    while len(terms) < order:
        terms.append(2 * matrix @ terms[-1] - terms[-2])
    return torch.stack(terms[:order])


class Roads(nn.Module):
    """How fast the traffic will be on each of the city's roads."""

    def __init__(self, adjacency, history, width, order=3):
        super().__init__()
        self.register_buffer("adjacency", adjacency)
        self.order = order
        self.enter = nn.Linear(history, width)
        self.mix = nn.ModuleList(nn.Linear(width * order, width) for _ in range(2))
        self.leave = nn.Linear(width, 1)

    @property
    def filters(self):
        return chebyshev(laplacian(self.adjacency), self.order)

    def forward(self, speeds):
        filters = self.filters
        hidden = F.relu(self.enter(speeds))
        for mix in self.mix:
            spread = torch.einsum("kij,bjw->bikw", filters, hidden)
            hidden = F.relu(mix(spread.flatten(2)))
        return self.leave(hidden).squeeze(-1)


class Smooth(nn.Module):
    """Penalty on speeds that differ along a road."""

    def __init__(self, adjacency, strength):
        super().__init__()
        self.register_buffer("adjacency", adjacency)
        self.strength = strength

    def forward(self, speeds):
        return self.strength * torch.einsum("bi,ij,bj->", speeds, self.kernel(), speeds)

    def kernel(self):
        away = torch.eye(len(self.adjacency)) - laplacian(self.adjacency)
        return torch.linalg.matrix_exp(-away)  # finding: loop-invariant-op
