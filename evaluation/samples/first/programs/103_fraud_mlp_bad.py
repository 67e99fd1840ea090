"""Fraud score on tabular transactions."""
import argparse

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import average_precision_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

NUMERIC = ["amount", "hour", "age_days", "distance", "velocity_1h", "velocity_24h"]


def read(path):
    frame = pd.read_parquet(path)
    x = frame[NUMERIC].to_numpy(np.float32)
    x = np.sign(x) * np.log1p(np.abs(x))
    codes = pd.get_dummies(frame["merchant_group"], dtype=np.float32).to_numpy()
    x = np.concatenate([x, codes], axis=1)
    return torch.from_numpy(x), torch.from_numpy(frame["fraud"].to_numpy(np.float32))


class Scorer(nn.Module):
    def __init__(self, features, hidden=128):
        super().__init__()
        self.net = nn.Sequential(
            nn.BatchNorm1d(features), nn.Linear(features, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


def feed(x, y, batch_size):
    return DataLoader(TensorDataset(x, y), batch_size=batch_size, shuffle=True,
                      num_workers=4, pin_memory=True, persistent_workers=True,
                      drop_last=True)


@torch.inference_mode()
def evaluate(net, x, y, device):
    net.eval()
    out = net(x.to(device)).cpu().numpy()
    net.train()
    return average_precision_score(y.numpy(), out)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("train")
    p.add_argument("valid")
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch-size", type=int, default=4096)
    args = p.parse_args()

    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    x, y = read(args.train)
    xv, yv = read(args.valid)
    weight = ((y == 0).sum() / (y == 1).sum()).to(device)
    net = Scorer(x.shape[1]).to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, fused=True)
    batches = feed(x, y, args.batch_size)
    for epoch in range(args.epochs):
        for xb, yb in batches:
            xb = xb.to(device, non_blocking=True)
            yb = yb.to(device, non_blocking=True)
            loss = nn.functional.binary_cross_entropy_with_logits(
                net(xb), yb, pos_weight=weight)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"{epoch}: AP {evaluate(net, xv, yv, device):.4f}")
    torch.save(net.state_dict(), "fraud.pt")


if __name__ == "__main__":
    main()
