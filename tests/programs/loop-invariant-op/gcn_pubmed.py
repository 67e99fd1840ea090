# Semi-supervised node classification, after Kipf & Welling. Course project, group 7.
import argparse
import pickle
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


def load_planetoid(path):
    with open(path, "rb") as f:
        blob = pickle.load(f)
    adj = torch.from_numpy(blob["adj"].toarray().astype(np.float32))
    feats = torch.from_numpy(blob["x"].toarray().astype(np.float32))
    labels = torch.from_numpy(blob["y"].argmax(1))
    return adj, feats, labels, blob["train_mask"], blob["val_mask"], blob["test_mask"]


def sym_norm(adj):
    a = adj + torch.eye(adj.size(0), device=adj.device)
    d = a.sum(1).pow(-0.5)
    d[torch.isinf(d)] = 0.0
    d = torch.diag(d)
    return torch.mm(torch.mm(d, a), d)  # note: loop-invariant-op


class GraphConv(nn.Module):
    def __init__(self, n_in, n_out, bias=True):
        super(GraphConv, self).__init__()
        self.weight = nn.Parameter(torch.empty(n_in, n_out))
        self.bias = nn.Parameter(torch.zeros(n_out)) if bias else None
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, adj):
        support = x @ self.weight
        out = sym_norm(adj) @ support
        return out if self.bias is None else out + self.bias


class GCN(nn.Module):
    def __init__(self, n_feat, n_hid, n_class, dropout):
        super(GCN, self).__init__()
        self.gc1 = GraphConv(n_feat, n_hid)
        self.gc2 = GraphConv(n_hid, n_class)
        self.dropout = dropout

    def forward(self, x, adj):
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, self.dropout, training=self.training)
        return F.log_softmax(self.gc2(x, adj), dim=1)


def accuracy(out, labels):
    return (out.argmax(1) == labels).float().mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="pubmed.pkl")
    p.add_argument("--epochs", type=int, default=300)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--hidden", type=int, default=16)
    p.add_argument("--dropout", type=float, default=0.5)
    args = p.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    adj, feats, labels, tr, va, te = load_planetoid(args.data)
    adj, feats, labels = adj.to(device), feats.to(device), labels.to(device)

    model = GCN(feats.size(1), args.hidden, int(labels.max()) + 1, args.dropout).to(device)
    opt = optim.Adam(model.parameters(), lr=args.lr, weight_decay=5e-4)

    t0 = time.time()
    for epoch in range(args.epochs):
        model.train()
        x = F.normalize(feats, p=1, dim=1)
        out = model(x, adj)
        loss = F.nll_loss(out[tr], labels[tr])
        opt.zero_grad()
        loss.backward()
        opt.step()

        if epoch % 20 == 0:
            model.eval()
            with torch.no_grad():
                out = model(x, adj)
            print(epoch, loss.item(), accuracy(out[va], labels[va]))

    model.eval()
    with torch.no_grad():
        out = model(F.normalize(feats, p=1, dim=1), adj)
    print("test", accuracy(out[te], labels[te]), "took", time.time() - t0)


if __name__ == "__main__":
    main()
