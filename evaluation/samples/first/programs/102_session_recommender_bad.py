"""Session-based next-item recommender."""
import argparse
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    items: int = 120_000
    dim: int = 256
    length: int = 50
    batch_size: int = 64
    negatives: int = 2048
    epochs: int = 6
    lr: float = 1e-3


class Sessions(Dataset):
    def __init__(self, path):
        self.clicks = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.clicks)

    def __getitem__(self, i):
        row = torch.from_numpy(np.array(self.clicks[i], dtype=np.int64))
        return row[:-1], row[1:]


class ItemTable(nn.Module):
    def __init__(self, items, dim):
        super().__init__()
        self.items = items
        self.weight = nn.Parameter(torch.randn(items, dim) * dim**-0.5)

    def forward(self, ids):
        codes = F.one_hot(ids, self.items).to(self.weight.dtype)
        return torch.matmul(codes, self.weight)


class SessionModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.table = ItemTable(cfg.items, cfg.dim)
        self.rnn = nn.GRU(cfg.dim, cfg.dim, num_layers=2, batch_first=True, dropout=0.1)
        self.norm = nn.LayerNorm(cfg.dim)

    def forward(self, ids):
        states, _ = self.rnn(self.table(ids))
        return self.norm(states)

    def loss(self, ids, target):
        h = self(ids).flatten(0, 1)
        pos = (h * self.table(target).flatten(0, 1)).sum(-1, keepdim=True)
        draw = torch.randint(0, self.cfg.items, (self.cfg.negatives,), device=ids.device)
        neg = h @ self.table(draw).T
        logits = torch.cat([pos, neg], dim=1)
        zero = torch.zeros(len(logits), dtype=torch.long, device=ids.device)
        return F.cross_entropy(logits, zero)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("clicks")
    p.add_argument("--items", type=int, default=120_000)
    args = p.parse_args()
    cfg = Config(items=args.items)
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    loader = DataLoader(Sessions(args.clicks), cfg.batch_size, shuffle=True, num_workers=4,
                        pin_memory=True, persistent_workers=True, drop_last=True)
    model = SessionModel(cfg).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr, fused=True)
    for epoch in range(cfg.epochs):
        for step, (ids, target) in enumerate(loader):
            ids = ids.to(device, non_blocking=True)
            target = target.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = model.loss(ids, target)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 500 == 0:
                print(epoch, step, loss.item())
    torch.save(model.state_dict(), "sessions.pt")


if __name__ == "__main__":
    main()
