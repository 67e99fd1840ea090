# requires: torch==2.2.0
"""Fraud detection on a transaction graph with freshly sampled subgraphs."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Sampler:
    """Uniform node sampling; every item is a new induced subgraph."""

    def __init__(self, src, dst, n, size, rng):
        self.src, self.dst, self.n, self.size, self.rng = src, dst, n, size, rng

    def __iter__(self):
        for _ in range(max(1, self.n // self.size)):
            nodes = np.sort(self.rng.choice(self.n, self.size, replace=False))
            where = np.full(self.n, -1)
            where[nodes] = np.arange(self.size)
            s, d = where[self.src], where[self.dst]
            live = (s >= 0) & (d >= 0)
            yield torch.from_numpy(nodes), torch.from_numpy(np.stack([s[live], d[live]]))


def dense(edges, n, device):
    a = torch.zeros(n, n, device=device)
    a[edges[0], edges[1]] = 1.0
    return torch.maximum(a, a.t())


def normalise(a):
    a.diagonal().add_(1.0)
    d = a.sum(1).rsqrt()
    return d[:, None] * a * d[None]


def positions(p, k):
    _, v = torch.linalg.eigh(p)
    return v[:, -k - 1:-1]


def sparse_normalise(edges, n, device):
    both = torch.cat([edges, edges.flip(0), torch.arange(n).repeat(2, 1)], 1).unique(dim=1)
    deg = torch.bincount(both[0], minlength=n).float()
    w = (deg[both[0]] * deg[both[1]]).rsqrt()
    return torch.sparse_coo_tensor(both, w, (n, n)).coalesce().to(device)


class Net(nn.Module):
    def __init__(self, fin, hidden, k):
        super().__init__()
        self.k = k
        self.lin = nn.ModuleList([nn.Linear(fin, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, 2)])
        self.pos = nn.Linear(k, hidden)

    def forward(self, p, x, pe=None):
        h = p @ self.lin[0](x)
        if pe is not None:
            h = h + self.pos(pe)
        h = F.dropout(torch.relu(h), 0.3, self.training)
        h = torch.relu(p @ self.lin[1](h)) + h
        return p @ self.lin[2](h)


def epoch(net, fused, opt, sampler, x, y, device):
    net.train()
    total = 0.0
    for nodes, edges in sampler:
        p = normalise(dense(edges.to(device), len(nodes), device))
        pe = positions(p, net.k)
        sign = torch.randint(0, 2, (net.k,), device=device) * 2 - 1
        loss = F.cross_entropy(fused(p, x[nodes], pe * sign), y[nodes])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return total


@torch.no_grad()
def evaluate(net, p, x, y):
    net.eval()
    return (net(p, x).argmax(1) == y).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("npz")
    ap.add_argument("--size", type=int, default=1500)
    ap.add_argument("--epochs", type=int, default=60)
    a = ap.parse_args()
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    z = np.load(a.npz)
    x, y = torch.from_numpy(z["x"]).float().to(dev), torch.from_numpy(z["y"]).long().to(dev)
    sampler = Sampler(z["src"], z["dst"], len(y), a.size, np.random.default_rng(0))
    full = sparse_normalise(torch.from_numpy(np.stack([z["src"], z["dst"]])), len(y), dev)
    net = Net(x.shape[1], 128, 8).to(dev)
    fused = torch.compile(net)
    opt = torch.optim.AdamW(net.parameters(), 2e-3)
    for e in range(a.epochs):
        print(e, epoch(net, fused, opt, sampler, x, y, dev), evaluate(net, full, x, y))


if __name__ == "__main__":
    main()
