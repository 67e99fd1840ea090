"""Full-batch GCN on ogbn-arxiv (169k nodes, 1.2M edges)."""
import argparse

import torch
import torch.nn.functional as F
from ogb.nodeproppred import NodePropPredDataset

from models import GCN, DropEdgeGCN


def load(device):
    ds = NodePropPredDataset("ogbn-arxiv", root="data")
    graph, y = ds[0]
    ei = torch.as_tensor(graph["edge_index"])
    ei = torch.cat([ei, ei.flip(0)], dim=1)
    n = graph["num_nodes"]
    adj = torch.sparse_coo_tensor(ei, torch.ones(ei.shape[1]), (n, n)).coalesce().to(device)
    split = {k: torch.as_tensor(v).to(device) for k, v in ds.get_idx_split().items()}
    return torch.as_tensor(graph["node_feat"]).to(device), adj, torch.as_tensor(y).squeeze(1).to(device), split


@torch.no_grad()
def accuracy(model, x, adj, y, idx):
    model.eval()
    return (model(x, adj)[idx].argmax(-1) == y[idx]).float().mean().item()


def fit(model, data, epochs, lr):
    x, adj, y, split = data
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=5e-4)
    best = 0.0
    for epoch in range(1, epochs + 1):
        model.train()
        opt.zero_grad()
        loss = F.cross_entropy(model(x, adj)[split["train"]], y[split["train"]])
        loss.backward()
        opt.step()
        if epoch % 10 == 0:
            best = max(best, accuracy(model, x, adj, y, split["valid"]))
            print(f"{epoch:4d} {loss.item():.4f} {best:.4f}")
    return best


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=800)
    ap.add_argument("--lr", type=float, default=0.01)
    ap.add_argument("--hidden", type=int, default=256)
    args = ap.parse_args()
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = load(dev)
    results = {}
    for cls in (GCN, DropEdgeGCN):
        net = cls(data[0].shape[1], args.hidden, 40).to(dev)
        results[cls.__name__] = fit(net, data, args.epochs, args.lr)
    print(results)
