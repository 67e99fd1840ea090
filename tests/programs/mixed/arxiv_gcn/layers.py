import math

import torch
from torch import nn


def sym_normalize(adj: torch.Tensor) -> torch.Tensor:
    """D^-1/2 (A + I) D^-1/2 for a sparse COO adjacency."""
    n = adj.shape[0]
    eye = torch.sparse_coo_tensor(torch.arange(n, device=adj.device).repeat(2, 1), torch.ones(n, device=adj.device), (n, n))
    a = (adj + eye).coalesce()
    deg = torch.sparse.sum(a, dim=1).to_dense()
    inv = deg.clamp(min=1).rsqrt()
    row, col = a.indices()
    return torch.sparse_coo_tensor(a.indices(), a.values() * inv[row] * inv[col], a.shape)


class GraphConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_in, d_out))
        self.bias = nn.Parameter(torch.zeros(d_out))
        nn.init.uniform_(self.weight, -1 / math.sqrt(d_out), 1 / math.sqrt(d_out))

    def forward(self, x, a_hat):
        return torch.sparse.mm(a_hat, x @ self.weight) + self.bias


class DropEdge(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, adj):
        if not self.training or self.p == 0:
            return adj
        adj = adj.coalesce()
        keep = torch.rand(adj.values().shape[0], device=adj.device) > self.p
        return torch.sparse_coo_tensor(adj.indices()[:, keep], adj.values()[keep], adj.shape)
