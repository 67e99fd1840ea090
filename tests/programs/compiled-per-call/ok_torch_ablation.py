# requires: torch==2.13.*
"""Ablation of a small transformer for time series: one compiled model per configuration."""
import itertools
import json
import math
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

GRID = {
    "depth": [2, 4, 8],
    "width": [128, 256],
    "norm": ["pre", "post"],
}


class Block(nn.Module):
    def __init__(self, width, norm):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.pre = norm == "pre"

    def forward(self, x):
        if self.pre:
            h = self.n1(x)
            x = x + self.attention(h, h, h, need_weights=False)[0]
            return x + self.mlp(self.n2(x))
        x = self.n1(x + self.attention(x, x, x, need_weights=False)[0])
        return self.n2(x + self.mlp(x))


class Forecaster(nn.Module):
    def __init__(self, channels, horizon, depth, width, norm):
        super().__init__()
        self.embed = nn.Linear(channels, width)
        self.blocks = nn.Sequential(*(Block(width, norm) for _ in range(depth)))
        self.head = nn.Linear(width, horizon)

    def forward(self, x):
        return self.head(self.blocks(self.embed(x))[:, -1])


def run(config, train, valid, device, epochs=20):
    model = Forecaster(train.dataset.tensors[0].shape[-1], 24, **config).to(device)
    compiled = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-4, epochs * len(train))
    best = math.inf
    for _ in range(epochs):
        model.train()
        for x, y in train:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            loss = nn.functional.mse_loss(compiled(x), y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
        best = min(best, evaluate(compiled, valid, device))
    return best


@torch.inference_mode()
def evaluate(model, loader, device):
    model.eval()
    total = torch.zeros((), device=device)
    for x, y in loader:
        total += (model(x.to(device)) - y.to(device)).square().mean()
    return (total / len(loader)).item()


def loaders(path):
    data = torch.load(path)
    cut = int(0.8 * len(data["x"]))
    parts = ((data["x"][:cut], data["y"][:cut]), (data["x"][cut:], data["y"][cut:]))
    return [
        DataLoader(TensorDataset(*part), 256, shuffle=i == 0, drop_last=True, pin_memory=True, num_workers=2)
        for i, part in enumerate(parts)
    ]


def main(path):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train, valid = loaders(path)
    for values in itertools.product(*GRID.values()):
        config = dict(zip(GRID, values))
        start = time.time()
        score = run(config, train, valid, device)
        print(json.dumps({**config, "mse": score, "seconds": time.time() - start}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
