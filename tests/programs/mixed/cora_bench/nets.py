import torch
import torch.nn.functional as F
from torch import nn

import operators

NETS = {}


class GraphNet(nn.Module):
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        NETS[cls.__name__.lower()] = cls


class GCN(GraphNet):
    def __init__(self, fin, classes, hidden=64):
        super().__init__()
        self.a, self.b = nn.Linear(fin, hidden), nn.Linear(hidden, classes)

    def forward(self, g):
        p = operators.propagation(g.adj)
        h = F.dropout(torch.relu(p @ self.a(g.x)), 0.5, self.training)
        return p @ self.b(h)


class Spectral(GraphNet):
    """MLP over features and a sign-randomised spectral position."""

    def __init__(self, fin, classes, hidden=64, k=16):
        super().__init__()
        self.k = k
        self.mlp = nn.Sequential(nn.Linear(fin + k, hidden), nn.ReLU(), nn.Dropout(0.5), nn.Linear(hidden, classes))

    def position(self, g):
        pe = operators.harmonics(g.adj, self.k)
        if self.training:
            pe = pe * (torch.randint(0, 2, (self.k,), device=pe.device) * 2 - 1)
        return pe

    def forward(self, g):
        return self.mlp(torch.cat([g.x, self.position(g)], 1))
