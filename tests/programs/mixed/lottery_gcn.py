# requires: torch==2.2 torch-geometric==2.5
"""Unified graph sparsification: edges are pruned in place between steps, features are clustered and sampled."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch_geometric.datasets import Planetoid


class DenseGraph(nn.Module):
    def __init__(self, edge_index, n):
        super().__init__()
        a = torch.zeros(n, n)
        a[edge_index[0], edge_index[1]] = 1.0
        self.register_buffer("adj", a)
        self.register_buffer("loops", torch.eye(n))
        self.score = nn.Parameter(torch.ones_like(a))

    def normalised(self):
        w = self.adj * torch.sigmoid(self.score)
        w = w + self.loops
        d = w.sum(1).rsqrt()
        return d[:, None] * w * d[None]


class GCN(nn.Module):
    def __init__(self, graph, dims, drop=0.5):
        super().__init__()
        self.graph, self.drop = graph, drop
        self.lins = nn.ModuleList(nn.Linear(i, o) for i, o in zip(dims, dims[1:]))

    def forward(self, x):
        a = self.graph.normalised()
        for k, lin in enumerate(self.lins):
            x = a @ lin(F.dropout(x, self.drop, self.training))
            if k + 1 < len(self.lins):
                x = F.relu(x)
        return x


class Callback:
    def after_step(self, tr):
        pass


class Prune(Callback):
    def __init__(self, every, frac):
        self.every, self.frac = every, frac

    @torch.no_grad()
    def after_step(self, tr):
        if tr.t % self.every:
            return
        g = tr.net.graph
        alive = g.adj.nonzero(as_tuple=True)
        vals = g.score[alive]
        k = int(self.frac * len(vals))
        drop = vals.argsort()[:k]
        g.adj[alive[0][drop], alive[1][drop]] = 0


class Spectrum(Callback):
    def __init__(self, every=50):
        self.every, self.log = every, []

    @torch.no_grad()
    def after_step(self, tr):
        if tr.t % self.every == 0:
            self.log.append(torch.linalg.eigvalsh(tr.net.graph.normalised())[-2].item())


class Trainer:
    def __init__(self, net, data, callbacks, lr=0.01):
        self.net, self.data, self.cbs, self.t = net, data, callbacks, 0
        self.opt = torch.optim.Adam(net.parameters(), lr, weight_decay=5e-4)
        self.fwd = torch.compile(net)  # finding: buggy-version

    def fit(self, steps):
        d = self.data
        while self.t < steps:
            self.t += 1
            self.net.train()
            loss = F.cross_entropy(self.fwd(d.x)[d.train_mask], d.y[d.train_mask])
            loss = loss + 1e-6 * torch.sigmoid(self.net.graph.score).sum()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            for cb in self.cbs:
                cb.after_step(self)
        return self

    @torch.no_grad()
    def test(self):
        self.net.eval()
        out = self.fwd(self.data.x).argmax(1)
        m = self.data.test_mask
        return (out[m] == self.data.y[m]).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--frac", type=float, nargs="+", default=[0.0, 0.05, 0.1])
    a = ap.parse_args()
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    ds = Planetoid("/tmp/planetoid", "Cora")
    data = ds[0].to(dev)
    for frac in a.frac:
        torch.manual_seed(0)
        g = DenseGraph(data.edge_index, data.num_nodes)
        net = GCN(g, [ds.num_features, 256, ds.num_classes]).to(dev)
        tr = Trainer(net, data, [Prune(100, frac), Spectrum()]).fit(1000)
        print(frac, tr.test(), tr.cbs[1].log[-1])


if __name__ == "__main__":
    main()
