"""Radar rainfall nowcasting with a 3-D conv network."""
import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    history: int = 8
    horizon: int = 6
    width: int = 48
    batch_size: int = 16
    epochs: int = 800
    lr: float = 3e-4


class Radar(Dataset):
    def __init__(self, path, cfg):
        self.maps = np.load(path, mmap_mode="r")
        self.cfg = cfg

    def __len__(self):
        return len(self.maps) - self.cfg.history - self.cfg.horizon

    def __getitem__(self, i):
        mid = i + self.cfg.history
        seq = np.log1p(np.array(self.maps[i : mid + self.cfg.horizon], dtype=np.float32))
        seq = torch.from_numpy(seq)
        return seq[: self.cfg.history][None], seq[self.cfg.history :]


class Nowcaster(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        w = cfg.width
        self.stem = nn.Conv3d(1, w, 3, padding=1)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.GroupNorm(8, w), nn.SiLU(), nn.Conv3d(w, w, 3, padding=1),
                          nn.GroupNorm(8, w), nn.SiLU(), nn.Conv3d(w, w, 3, padding=1))
            for _ in range(8))
        self.head = nn.Conv2d(w * cfg.history, cfg.horizon, 1)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = x + block(x)
        return self.head(x.flatten(1, 2))


class Loop:
    def __init__(self, cfg, root, device):
        self.cfg, self.root, self.device = cfg, root, device
        kw = dict(batch_size=cfg.batch_size, num_workers=6, pin_memory=True,
                  persistent_workers=True)
        self.train = DataLoader(Radar(root / "train.npy", cfg), shuffle=True,
                                drop_last=True, **kw)
        self.valid = DataLoader(Radar(root / "valid.npy", cfg), **kw)
        self.net = Nowcaster(cfg).to(device)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=cfg.lr, fused=True)

    def loss(self, batch):
        past, future = (t.to(self.device, non_blocking=True) for t in batch)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return nn.functional.l1_loss(self.net(past), future)

    def epoch(self):
        for batch in self.train:
            loss = self.loss(batch)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    @torch.inference_mode()
    def evaluate(self):
        return torch.stack([self.loss(batch) for batch in self.valid]).mean().item()

    def run(self):
        for epoch in range(self.cfg.epochs):
            self.epoch()
            print(f"epoch {epoch} valid {self.evaluate():.5f}", flush=True)
        torch.save(self.net.state_dict(), self.root / "nowcast.pt")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root", type=Path)
    args = p.parse_args()
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    Loop(Config(), args.root, torch.device("cuda")).run()


if __name__ == "__main__":
    main()
