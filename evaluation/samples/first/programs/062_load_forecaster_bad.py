"""Electricity load forecaster, encoder only, 24 h ahead."""
import argparse
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    window: int = 336
    horizon: int = 24
    hidden: int = 256
    batch_size: int = 512
    epochs: int = 20
    lr: float = 1e-3


class LoadWindows(Dataset):
    def __init__(self, series, window, horizon):
        self.series = torch.as_tensor(series, dtype=torch.float32)
        self.window, self.horizon = window, horizon

    def __len__(self):
        return len(self.series) - self.window - self.horizon

    def __getitem__(self, i):
        j = i + self.window
        return self.series[i:j], self.series[j : j + self.horizon, 0]


class Encoder(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.proj = nn.Linear(features, hidden)
        self.unit = nn.GRUCell(hidden, hidden)

    def forward(self, x):
        z = self.proj(x)
        h = z.new_zeros(z.size(0), self.unit.hidden_size)
        outs = []
        for t in range(z.size(1)):
            h = self.unit(z[:, t], h)
            outs.append(h)
        return torch.stack(outs, dim=1)


class Forecaster(nn.Module):
    def __init__(self, features, cfg):
        super().__init__()
        self.encoder = Encoder(features, cfg.hidden)
        self.norm = nn.LayerNorm(cfg.hidden)
        self.head = nn.Linear(cfg.hidden, cfg.horizon)

    def forward(self, x):
        states = self.encoder(x)
        pooled = states[:, -1] + states.mean(dim=1)
        return self.head(self.norm(pooled))


def run_epoch(model, loader, opt, device):
    total = torch.zeros((), device=device)
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        with torch.autocast(device.type, dtype=torch.bfloat16):
            loss = nn.functional.smooth_l1_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.detach()
    return (total / len(loader)).item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("npz")
    args = p.parse_args()
    cfg = Config()
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    series = np.load(args.npz)["load"].astype(np.float32)
    ds = LoadWindows(series, cfg.window, cfg.horizon)
    loader = DataLoader(ds, cfg.batch_size, shuffle=True, num_workers=4,
                        pin_memory=True, persistent_workers=True, drop_last=True)
    model = Forecaster(series.shape[1], cfg).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, fused=True)
    for epoch in range(cfg.epochs):
        print(epoch, run_epoch(model, loader, opt, device))
    torch.save(model.state_dict(), "forecaster.pt")


if __name__ == "__main__":
    main()
