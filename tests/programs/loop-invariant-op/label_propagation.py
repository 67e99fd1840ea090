"""Correct-and-smooth on a graph: propagate labels, then residuals (PyTorch)."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def normalized(adj):
    deg = adj.sum(1).clamp(min=1.0)
    inv = deg.pow(-0.5)
    return inv[:, None] * adj * inv[None, :]


def propagate(adj, signal, alpha, rounds, clamp):
    start = signal
    for _ in range(rounds):
        signal = alpha * normalized(adj) @ signal + (1 - alpha) * start  # note: loop-invariant-op
        signal = clamp(signal)
    return signal


class Net(nn.Module):
    def __init__(self, dim, hidden, classes):
        super().__init__()
        self.first = nn.Linear(dim, hidden)
        self.second = nn.Linear(hidden, classes)

    def forward(self, x):
        return self.second(F.dropout(F.relu(self.first(x)), 0.5, self.training))


def fit(net, x, y, train, epochs):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(epochs):
        net.train()
        loss = F.cross_entropy(net(x)[train], y[train])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        return net(x).softmax(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=50)
    args = parser.parse_args()
    blob = torch.load(args.data)
    x, y, adj, train, test = (blob[k] for k in ("x", "y", "adj", "train", "test"))
    adj = adj.float()
    classes = int(y.max()) + 1
    soft = fit(Net(x.shape[1], 64, classes), x, y, train, args.epochs)
    truth = F.one_hot(y, classes).float()

    residual = torch.zeros_like(soft)
    residual[train] = truth[train] - soft[train]
    residual = propagate(adj, residual, 0.8, args.rounds, lambda s: s.clamp(-1, 1))
    corrected = soft + residual
    corrected[train] = truth[train]
    smooth = propagate(adj, corrected, 0.8, args.rounds, lambda s: s.clamp(0, 1))
    print((smooth[test].argmax(1) == y[test]).float().mean().item())


if __name__ == "__main__":
    main()
