"""Kipf & Welling's GCN on a citation graph, dense version for teaching."""
import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def load(path):
    content = np.genfromtxt(path + ".content", dtype=np.dtype(str))
    features = torch.tensor(content[:, 1:-1].astype(np.float32))
    classes = sorted(set(content[:, -1]))
    labels = torch.tensor([classes.index(c) for c in content[:, -1]])
    index = {name: i for i, name in enumerate(content[:, 0])}
    adj = torch.zeros(len(index), len(index))
    for a, b in np.genfromtxt(path + ".cites", dtype=np.dtype(str)):
        if a in index and b in index:
            adj[index[a], index[b]] = adj[index[b], index[a]] = 1.0
    return features, labels, adj, len(classes)


def normalize_adj(adj):
    adj = adj + torch.eye(adj.size(0), device=adj.device)
    degree = adj.sum(1)
    d_inv_sqrt = torch.diag(degree.pow(-0.5))
    return d_inv_sqrt @ adj @ d_inv_sqrt


class GraphConvolution(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_in, n_out))
        self.bias = nn.Parameter(torch.zeros(n_out))
        stdv = 1.0 / math.sqrt(n_out)
        nn.init.uniform_(self.weight, -stdv, stdv)

    def forward(self, x, adj):
        return adj @ (x @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, n_feat, n_hidden, n_class, dropout):
        super().__init__()
        self.gc1 = GraphConvolution(n_feat, n_hidden)
        self.gc2 = GraphConvolution(n_hidden, n_class)
        self.dropout = dropout

    def forward(self, x, adj):
        adj = normalize_adj(adj)
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, self.dropout, training=self.training)
        return F.log_softmax(self.gc2(x, adj), dim=1)


def accuracy(output, labels):
    return (output.argmax(1) == labels).float().mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data/cora/cora")
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--weight-decay", type=float, default=5e-4)
    parser.add_argument("--hidden", type=int, default=16)
    parser.add_argument("--dropout", type=float, default=0.5)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    features, labels, adj, classes = load(args.data)
    features, labels, adj = features.to(device), labels.to(device), adj.to(device)
    idx_train = torch.arange(140, device=device)
    idx_val = torch.arange(200, 500, device=device)
    idx_test = torch.arange(500, 1500, device=device)

    model = GCN(features.shape[1], args.hidden, classes, args.dropout).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)

    def train(epoch):
        model.train()
        optimizer.zero_grad()
        output = model(features, adj)
        loss = F.nll_loss(output[idx_train], labels[idx_train])
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            output = model(features, adj)
        if epoch % 10 == 0:
            print(f"{epoch:04d} loss {loss.item():.4f} val {accuracy(output[idx_val], labels[idx_val]):.4f}")

    for epoch in range(args.epochs):
        train(epoch)
    model.eval()
    with torch.no_grad():
        output = model(features, adj)
    print(f"test {accuracy(output[idx_test], labels[idx_test]):.4f}")


if __name__ == "__main__":
    main()
