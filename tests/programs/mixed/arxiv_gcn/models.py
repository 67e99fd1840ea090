import torch.nn.functional as F
from torch import nn

from layers import DropEdge, GraphConv, sym_normalize


class GCN(nn.Module):
    def __init__(self, d_in, hidden, classes, depth=3, p=0.5):
        super().__init__()
        dims = [d_in] + [hidden] * (depth - 1) + [classes]
        self.convs = nn.ModuleList(GraphConv(a, b) for a, b in zip(dims, dims[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(d) for d in dims[1:-1])
        self.p = p

    def forward(self, x, adj):
        a_hat = sym_normalize(adj)
        for conv, norm in zip(self.convs[:-1], self.norms):
            x = F.dropout(F.relu(norm(conv(x, a_hat))), self.p, self.training)
        return self.convs[-1](x, a_hat)


class DropEdgeGCN(GCN):
    """Samples edges anew each step, so the normalisation changes with it."""

    def __init__(self, *args, drop=0.2, **kw):
        super().__init__(*args, **kw)
        self.drop = DropEdge(drop)

    def forward(self, x, adj):
        a_hat = sym_normalize(self.drop(adj))
        for conv, norm in zip(self.convs[:-1], self.norms):
            x = F.relu(norm(conv(x, a_hat)))
        return self.convs[-1](x, a_hat)
