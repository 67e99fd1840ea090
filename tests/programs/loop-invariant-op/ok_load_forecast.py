# requires: torch==1.9.*
"""Day-ahead electricity load with a decoder-only transformer."""
import math
import os

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CONFIG = {
    "window": 336,
    "horizon": 48,
    "d_model": 128,
    "heads": 8,
    "layers": 4,
    "batch_size": 128,
    "epochs": 30,
    "lr": 3e-4,
}


class LoadTransformer(nn.Module):
    def __init__(self, n_features, window, d_model, heads, layers, horizon):
        super().__init__()
        self.window = window
        self.d_model = d_model
        self.embed = nn.Linear(n_features, d_model)
        block = nn.TransformerEncoderLayer(d_model, heads, 4 * d_model, 0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(block, layers)
        self.head = nn.Linear(d_model, horizon)

    def positions(self):
        pos = torch.arange(self.window, dtype=torch.float32).unsqueeze(1)
        div = torch.exp(torch.arange(0, self.d_model, 2) * (-math.log(10000.0) / self.d_model))
        pe = torch.zeros(self.window, self.d_model)
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        return pe

    def causal_mask(self, device):
        ones = torch.ones(self.window, self.window, device=device)
        return torch.triu(ones, diagonal=1).bool()

    def forward(self, x):
        pe = self.positions().to(x.device)
        mask = self.causal_mask(x.device)
        h = self.embed(x) * math.sqrt(self.d_model) + pe
        h = self.encoder(h, mask=mask)
        return self.head(h[:, -1])


def windows(values, window, horizon):
    xs, ys = [], []
    for i in range(0, len(values) - window - horizon, 24):
        xs.append(values[i : i + window])
        ys.append(values[i + window : i + window + horizon, 0])
    return torch.tensor(np.stack(xs)), torch.tensor(np.stack(ys))


def load(path):
    df = pd.read_csv(path, parse_dates=["time"], index_col="time")
    df["hour"] = df.index.hour / 23.0
    df["weekday"] = df.index.weekday / 6.0
    values = df[["load", "temperature", "hour", "weekday"]].to_numpy(np.float32)
    split = int(len(values) * 0.8)
    mean, std = values[:split].mean(0), values[:split].std(0)
    values = (values - mean) / std
    return values[:split], values[split:]


def run_epoch(model, loader, optimizer=None):
    training = optimizer is not None
    model.train(training)
    device = next(model.parameters()).device
    total, count = 0.0, 0
    with torch.set_grad_enabled(training):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = nn.functional.l1_loss(model(x), y)
            if training:
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            total += loss.detach() * len(x)
            count += len(x)
    return (total / count).item()


def main(cfg):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train, valid = load(os.environ.get("LOAD_CSV", "load.csv"))
    train_ds = TensorDataset(*windows(train, cfg["window"], cfg["horizon"]))
    valid_ds = TensorDataset(*windows(valid, cfg["window"], cfg["horizon"]))
    train_dl = DataLoader(train_ds, cfg["batch_size"], shuffle=True, pin_memory=True)
    valid_dl = DataLoader(valid_ds, cfg["batch_size"])
    model = LoadTransformer(
        train.shape[1], cfg["window"], cfg["d_model"], cfg["heads"], cfg["layers"], cfg["horizon"]
    ).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
    best = float("inf")
    for epoch in range(cfg["epochs"]):
        train_loss = run_epoch(model, train_dl, optimizer)
        valid_loss = run_epoch(model, valid_dl)
        if valid_loss < best:
            best = valid_loss
            torch.save(model.state_dict(), "load.pt")
        print(f"epoch {epoch} train {train_loss:.4f} valid {valid_loss:.4f}")


if __name__ == "__main__":
    main(CONFIG)
