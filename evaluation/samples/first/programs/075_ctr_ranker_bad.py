"""Click-through ranking model on dense features."""
import argparse
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Options:
    hidden: int = 1024
    depth: int = 4
    batch_size: int = 8192
    epochs: int = 5
    lr: float = 2e-4


class ClickLog(Dataset):
    """Rows are fetched in blocks; one item is one ready batch."""

    def __init__(self, feats, clicks, batch_size):
        self.feats = np.load(feats, mmap_mode="r")
        self.clicks = np.load(clicks, mmap_mode="r")
        self.batch_size = batch_size

    def __len__(self):
        return len(self.feats) // self.batch_size

    def __getitem__(self, i):
        part = slice(i * self.batch_size, (i + 1) * self.batch_size)
        x = torch.from_numpy(self.feats[part].astype(np.float64))
        y = torch.from_numpy(self.clicks[part].astype(np.float64))
        return x, y


class Ranker(nn.Module):
    def __init__(self, features, opts):
        super().__init__()
        layers, width = [], features
        for _ in range(opts.depth):
            layers += [nn.Linear(width, opts.hidden), nn.LayerNorm(opts.hidden), nn.GELU()]
            width = opts.hidden
        self.trunk = nn.Sequential(*layers)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        return self.out(self.trunk(x)).squeeze(-1)


def train(model, loader, opts, device):
    optim = torch.optim.Adam(model.parameters(), lr=opts.lr, fused=True)
    for epoch in range(opts.epochs):
        acc = torch.zeros((), device=device)
        for x, y in loader:
            x = x.to(device, non_blocking=True)
            y = y.to(device, non_blocking=True)
            loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
            optim.zero_grad()
            loss.backward()
            optim.step()
            acc += loss.detach()
        print(f"epoch {epoch}: {acc.item() / len(loader):.5f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--feats", default="feats.npy")
    p.add_argument("--clicks", default="clicks.npy")
    args = p.parse_args()
    opts = Options()
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    data = ClickLog(args.feats, args.clicks, opts.batch_size)
    loader = DataLoader(data, batch_size=None, shuffle=True, num_workers=6,
                        pin_memory=True, persistent_workers=True)
    model = Ranker(data.feats.shape[1], opts)
    model = model.to(device=device, dtype=torch.double)
    train(model, loader, opts, device)
    torch.save(model.state_dict(), "ranker.pt")


if __name__ == "__main__":
    main()
