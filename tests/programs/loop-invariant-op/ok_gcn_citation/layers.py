import torch
from torch import nn


def normalize(adj):
    """D^-1/2 (A + I) D^-1/2"""
    adj = adj + torch.eye(adj.shape[0], device=adj.device)
    scale = adj.sum(dim=1).pow(-0.5)
    return scale[:, None] * adj * scale[None, :]


class GraphConv(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs, bias=False)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x, adj):
        return adj @ self.linear(x) + self.bias
