import torch
import torch.nn.functional as F
from torch import nn

from .propagate import appnp, drop_edge, gcn_norm


class NodeNet(nn.Module):
    def __init__(self, d_in, d_hid, d_out, p=0.5):
        super().__init__()
        self.inp = nn.Linear(d_in, d_hid)
        self.out = nn.Linear(d_hid, d_out)
        self.p = p

    def encode(self, x):
        x = F.dropout(x, self.p, self.training)
        h = F.relu(self.inp(x))
        return self.out(F.dropout(h, self.p, self.training))


class PPNP(NodeNet):
    """Predict, then propagate."""

    def forward(self, x, edge_index):
        adj = gcn_norm(edge_index, x.size(0))
        return appnp(adj, self.encode(x))


class DropEdgePPNP(NodeNet):
    """Another subgraph in every pass."""

    def forward(self, x, edge_index):
        if self.training:
            edge_index = drop_edge(edge_index, 0.3)
        adj = gcn_norm(edge_index, x.size(0))
        return appnp(adj, self.encode(x))


class PrecomputedPPNP(NodeNet):
    def __init__(self, *args, adj, **kw):
        super().__init__(*args, **kw)
        self.adj = adj

    def forward(self, x, edge_index=None):
        return appnp(self.adj, self.encode(x))


def make(kind, data, hidden=64):
    dims = (data["x"].size(1), hidden, int(data["y"].max()) + 1)
    if kind == "cached":
        return PrecomputedPPNP(*dims, adj=gcn_norm(data["edge_index"], data["x"].size(0)))
    return {"plain": PPNP, "dropedge": DropEdgePPNP}[kind](*dims)
