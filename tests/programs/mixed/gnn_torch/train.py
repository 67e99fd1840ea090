import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphConv(nn.Module):
    def __init__(self, size, out):
        super().__init__()
        self.lin = nn.Linear(size, out)

    def forward(self, x, adj):
        return self.lin(adj @ x)


class Net(nn.Module):
    def __init__(self, size, hidden, classes):
        super().__init__()
        self.convs = nn.ModuleList([GraphConv(size, hidden), GraphConv(hidden, hidden)])
        self.out = nn.Linear(hidden, classes)

    def forward(self, x, adj):
        for conv in self.convs:
            x = F.relu(conv(x, adj))
        return self.out(x)


def normalise(adj):
    degree = adj.sum(1)
    inv = torch.linalg.inv(torch.diag(degree.sqrt()))
    return inv @ adj @ inv


def train(net, x, adj, y, mask, epochs):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for epoch in range(epochs):
        optimizer.zero_grad()
        norm = normalise(adj)
        loss = F.cross_entropy(net(x, norm)[mask], y[mask])
        loss.backward()
        optimizer.step()
        if epoch % 50 == 0:
            print(epoch, loss.item())


def adjacency(edges, count):
    adj = torch.eye(count)
    for a, b in edges:
        adj[a, b] = 1.0  # finding: looped-update
        adj[b, a] = 1.0  # finding: looped-update
    return adj


def degrees(edges, count):
    out = np.zeros(count, int)
    for a, _ in edges:
        out[a] += 1  # finding: looped-update
    return out


def negatives(edges, count, rng):
    known = {tuple(e) for e in edges}
    out = []
    while len(out) < len(edges):
        pair = rng.integers(count), rng.integers(count)
        if pair not in known:
            out.append(pair)
    return out


def walk(adj, start, length):
    path = [start]
    for _ in range(length):
        weights = adj[path[-1]]
        path.append(int(torch.multinomial(weights, 1)))
    return path


def pair_scores(embedding: torch.Tensor, pairs):
    scores = []
    for a, b in pairs:
        scores.append(torch.dot(embedding[a], embedding[b]))  # finding: per-slice-op
    return torch.stack(scores)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=500)
    args = parser.parse_args()
    data = np.load("cora.npz")
    adj = adjacency(data["edges"], len(data["x"]))
    x, y = torch.tensor(data["x"]), torch.tensor(data["y"])
    net = Net(x.size(1), 64, 7)
    train(net, x, adj, y, torch.rand(len(y)) < 0.1, args.epochs)


if __name__ == "__main__":
    main()
