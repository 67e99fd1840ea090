import argparse

import numpy as np
import torch
import torch.nn.functional as F

from model import GCN


def load(folder):
    content = np.genfromtxt(f"{folder}/cora.content", dtype=str)
    ids = {name: i for i, name in enumerate(content[:, 0])}
    x = content[:, 1:-1].astype(np.float32)
    names = sorted(set(content[:, -1]))
    y = np.array([names.index(c) for c in content[:, -1]])
    adj = np.zeros((len(ids), len(ids)), np.float32)
    for a, b in np.genfromtxt(f"{folder}/cora.cites", dtype=str):
        adj[ids[a], ids[b]] = adj[ids[b], ids[a]] = 1.0
    x /= np.maximum(x.sum(1, keepdims=True), 1)
    return torch.from_numpy(x), torch.from_numpy(y), torch.from_numpy(adj), len(names)


def accuracy(logits, y):
    return (logits.argmax(dim=1) == y).float().mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="cora")
    parser.add_argument("--epochs", type=int, default=400)
    parser.add_argument("--hidden", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x, y, adj, classes = load(args.folder)
    x, y, adj = x.to(device), y.to(device), adj.to(device)
    order = torch.randperm(len(x), device=device)
    train, valid, test = order[:140], order[140:640], order[640:1640]

    model = GCN(x.shape[1], args.hidden, classes).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=5e-4)
    for epoch in range(args.epochs):
        model.train()
        logits = model(x, adj)
        loss = F.cross_entropy(logits[train], y[train])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            logits = model(x, adj)
        if epoch % 20 == 0:
            print(epoch, loss.item(), accuracy(logits[valid], y[valid]))
    print("test", accuracy(logits[test], y[test]))


if __name__ == "__main__":
    main()
