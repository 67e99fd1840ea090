# requires: torch==2.1
"""Node classification on a co-purchase graph with PyTorch Lightning."""
import argparse

import numpy as np
import pytorch_lightning as pl
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def symmetric_normalization(adj: torch.Tensor) -> torch.Tensor:
    degree = adj.sum(dim=1)
    scale = degree.clamp(min=1).rsqrt()
    return scale.unsqueeze(1) * adj * scale.unsqueeze(0)


class GraphConv(nn.Module):
    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.lin = nn.Linear(n_in, n_out)

    def forward(self, x: torch.Tensor, norm_adj: torch.Tensor) -> torch.Tensor:
        return norm_adj @ self.lin(x)


class NodeClassifier(pl.LightningModule):
    def __init__(self, adjacency, features, n_classes, hidden=128, layers=3, lr=5e-3):
        super().__init__()
        self.save_hyperparameters(ignore=["adjacency", "features"])
        self.register_buffer("adjacency", torch.as_tensor(adjacency, dtype=torch.float32))
        self.register_buffer("features", torch.as_tensor(features, dtype=torch.float32))
        widths = [features.shape[1]] + [hidden] * (layers - 1)
        self.convs = nn.ModuleList(GraphConv(a, b) for a, b in zip(widths, widths[1:]))
        self.head = GraphConv(hidden, n_classes)
        self.mixing = nn.Parameter(torch.zeros(layers - 1))

    def propagate(self):
        norm_adj = symmetric_normalization(self.adjacency)
        x = self.features
        weights = torch.softmax(self.mixing, dim=0)
        for w, conv in zip(weights, self.convs):
            x = w * F.relu(conv(x, norm_adj))
            x = F.dropout(x, 0.5, self.training)
        return self.head(x, norm_adj)

    def training_step(self, batch, batch_idx):
        nodes, labels = batch
        logits = self.propagate()[nodes]
        loss = F.cross_entropy(logits, labels)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        nodes, labels = batch
        second_order = self.adjacency @ self.adjacency
        reach = (second_order[nodes] > 0).float().mean()
        pred = self.propagate()[nodes].argmax(dim=-1)
        self.log("val_acc", (pred == labels).float().mean())
        self.log("val_reach", reach)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


def loaders(labels, batch_size, train_share=0.8):
    order = np.random.permutation(len(labels))
    cut = int(train_share * len(order))
    parts = []
    for idx in (order[:cut], order[cut:]):
        ds = TensorDataset(torch.as_tensor(idx), torch.as_tensor(labels[idx]))
        parts.append(DataLoader(ds, batch_size=batch_size, shuffle=True))
    return parts


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("graph", help="npz with adj, x, y")
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=200)
    args = parser.parse_args()

    data = np.load(args.graph)
    model = NodeClassifier(data["adj"], data["x"], int(data["y"].max()) + 1)
    train, val = loaders(data["y"], args.batch_size)
    trainer = pl.Trainer(max_epochs=args.epochs, accelerator="auto")
    trainer.fit(model, train, val)


if __name__ == "__main__":
    main()
