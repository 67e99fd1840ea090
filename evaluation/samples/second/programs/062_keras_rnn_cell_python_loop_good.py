import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler, TensorDataset


class MotionEncoder(nn.Module):
    """IMU windows (batch, time, channel) -> activity logits."""

    def __init__(self, channels, hidden=256, classes=12):
        super().__init__()
        self.proj = nn.Sequential(nn.Linear(channels, hidden), nn.ReLU(), nn.LayerNorm(hidden))
        self.core = nn.LSTM(hidden, hidden, batch_first=True)
        self.score = nn.Linear(hidden, 1)
        self.out = nn.Linear(hidden, classes)
        self.hidden = hidden

    def forward(self, imu):
        feats = self.proj(imu)
        seq, _ = self.core(feats)
        weight = self.score(seq).softmax(dim=1)
        return self.out((weight * seq).sum(1))


def load(path, batch, train):
    blob = np.load(path)
    ds = TensorDataset(torch.from_numpy(blob["imu"]).float(), torch.from_numpy(blob["label"]).long())
    order = BatchSampler(RandomSampler(ds) if train else SequentialSampler(ds), batch, drop_last=False)
    return DataLoader(ds, sampler=order, batch_size=None, num_workers=2, pin_memory=True, persistent_workers=True)


@torch.inference_mode()
def accuracy(net, data, device):
    net.eval()
    right = torch.zeros((), device=device)
    n = 0
    for x, y in data:
        right += (net(x.to(device, non_blocking=True)).argmax(-1) == y.to(device, non_blocking=True)).sum()
        n += len(y)
    net.train()
    return right.item() / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root", type=Path)
    ap.add_argument("--epochs", type=int, default=60)
    ap.add_argument("--batch", type=int, default=256)
    ap.add_argument("--device", default="cuda")
    args = ap.parse_args()
    train, val = load(args.root / "train.npz", args.batch, True), load(args.root / "val.npz", 1024, False)
    channels = train.dataset.tensors[0].shape[-1]
    net = MotionEncoder(channels).to(args.device)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    best = 0.0
    for epoch in range(args.epochs):
        for x, y in train:
            x, y = x.to(args.device, non_blocking=True), y.to(args.device, non_blocking=True)
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            opt.step()
        acc = accuracy(net, val, args.device)
        print(f"{epoch:3d} acc {acc:.4f}")
        if acc > best:
            best = acc
            torch.save(net.state_dict(), args.root / "best.pt")


if __name__ == "__main__":
    main()
