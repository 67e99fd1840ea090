"""Spatio-temporal transformer for road traffic forecasts."""
import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Traffic(Dataset):
    def __init__(self, path, past, future):
        self.flow = torch.from_numpy(np.load(path).astype(np.float32))
        self.past, self.future = past, future

    def __len__(self):
        return len(self.flow) - self.past - self.future

    def __getitem__(self, i):
        mid = i + self.past
        return self.flow[i:mid].T, self.flow[mid : mid + self.future].T


class MixBlock(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.mix = nn.MultiheadAttention(dim, heads, dropout=dropout, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.SiLU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        h = self.norm1(x)
        out, _ = self.mix(h, h, h, need_weights=False)
        x = x + out
        return x + self.ff(self.norm2(x))


class Forecaster(nn.Module):
    def __init__(self, sensors, past, future, dim=256, depth=6, heads=8, dropout=0.1):
        super().__init__()
        self.inp = nn.Linear(past, dim)
        self.sensor = nn.Embedding(sensors, dim)
        self.blocks = nn.ModuleList(MixBlock(dim, heads, dropout) for _ in range(depth))
        self.out = nn.Linear(dim, future)

    def forward(self, x):
        h = self.inp(x) + self.sensor.weight
        for block in self.blocks:
            h = block(h)
        return self.out(h)


def masked_mae(pred, target):
    mask = (target != 0).float()
    return ((pred - target).abs() * mask).sum() / mask.sum().clamp(min=1)


def run(args):
    device = torch.device("cuda")
    ds = Traffic(args.flow, args.past, args.future)
    loader = DataLoader(
        ds, args.batch_size, shuffle=True, drop_last=True, num_workers=4, pin_memory=True,
        persistent_workers=True,
    )
    net = Forecaster(ds.flow.size(1), args.past, args.future).to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=5e-4, fused=True)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs * len(loader))
    for epoch in range(args.epochs):
        net.train()
        total = torch.zeros((), device=device)
        for past, future in loader:
            past = past.to(device, non_blocking=True)
            future = future.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = masked_mae(net(past), future)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.detach()
        print(f"epoch {epoch} MAE {total.item() / len(loader):.4f}")
    torch.save(net.state_dict(), args.out)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("flow", help="array time x sensors")
    ap.add_argument("--past", type=int, default=12)
    ap.add_argument("--future", type=int, default=12)
    ap.add_argument("--batch-size", type=int, default=16)
    ap.add_argument("--epochs", type=int, default=60)
    ap.add_argument("--out", default="traffic.pt")
    run(ap.parse_args())
