"""Default-risk model for consumer loans (tabular MLP, one row per application)."""
import argparse
import json
import os

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

TARGET = "defaulted_12m"
CATEGORICAL = ["region", "employment", "housing", "purpose", "channel"]


class LoanDataset(Dataset):
    """Applications as (numeric features, category codes, target)."""

    def __init__(self, frame, numeric, stats):
        self.df = frame.reset_index(drop=True)
        self.numeric = numeric
        self.mean = torch.tensor(stats["mean"], dtype=torch.float32)
        self.std = torch.tensor(stats["std"], dtype=torch.float32)

    def __len__(self):
        return len(self.df)

    def __getitem__(self, idx):
        row = self.df.iloc[idx]
        numbers = torch.tensor(row[self.numeric].to_numpy(dtype=np.float32))
        codes = torch.tensor(row[CATEGORICAL].to_numpy(dtype=np.int64))
        target = torch.tensor(row[TARGET], dtype=torch.float32)
        return (numbers - self.mean) / self.std, codes, target


class RiskNet(nn.Module):
    def __init__(self, n_numeric, cardinalities, width=256, dim=8):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(n, dim) for n in cardinalities)
        self.body = nn.Sequential(
            nn.Linear(n_numeric + dim * len(cardinalities), width), nn.SiLU(), nn.Dropout(0.1),
            nn.Linear(width, width), nn.SiLU(), nn.Dropout(0.1),
            nn.Linear(width, 1),
        )

    def forward(self, numbers, codes):
        embedded = [table(codes[:, i]) for i, table in enumerate(self.tables)]
        return self.body(torch.cat([numbers, *embedded], dim=1)).squeeze(1)


def load_frame(path):
    df = pd.read_parquet(path)
    cardinalities = []
    for column in CATEGORICAL:
        codes = df[column].astype("category").cat.codes
        df[column] = codes.astype("int64") + 1  # 0 stands for unknown
        cardinalities.append(int(df[column].max()) + 1)
    numeric = [c for c in df.columns if c not in CATEGORICAL + [TARGET]]
    df[numeric] = df[numeric].fillna(df[numeric].median())
    return df, numeric, cardinalities


@torch.inference_mode()
def validation_loss(model, loader, loss_fn, device):
    model.eval()
    total, count = torch.zeros((), device=device), 0
    for numbers, codes, target in loader:
        logits = model(numbers.to(device, non_blocking=True), codes.to(device, non_blocking=True))
        total += loss_fn(logits, target.to(device, non_blocking=True)) * len(target)
        count += len(target)
    return (total / count).item()


def main(a):
    torch.manual_seed(a.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    df, numeric, cardinalities = load_frame(a.table)
    split = np.random.default_rng(a.seed).random(len(df)) < 0.85
    std = df.loc[split, numeric].std().replace(0, 1)
    stats = {"mean": df.loc[split, numeric].mean().tolist(), "std": std.tolist()}

    common = dict(num_workers=a.workers, pin_memory=device.type == "cuda", persistent_workers=a.workers > 0)
    train = DataLoader(LoanDataset(df[split], numeric, stats), a.batch, shuffle=True, drop_last=True, **common)
    valid = DataLoader(LoanDataset(df[~split], numeric, stats), a.batch * 4, **common)

    model = RiskNet(len(numeric), cardinalities).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=a.lr, weight_decay=1e-3)
    loss_fn = nn.BCEWithLogitsLoss()
    for epoch in range(a.epochs):
        model.train()
        for numbers, codes, target in train:
            logits = model(numbers.to(device, non_blocking=True), codes.to(device, non_blocking=True))
            loss = loss_fn(logits, target.to(device, non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        print(json.dumps({"epoch": epoch, "valid": validation_loss(model, valid, loss_fn, device)}))
    os.makedirs(a.out, exist_ok=True)
    torch.save({"model": model.state_dict(), "stats": stats, "numeric": numeric}, os.path.join(a.out, "risk.pt"))


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("table", help="parquet file of applications")
    p.add_argument("--out", default="runs/risk")
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--batch", type=int, default=1024)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("--seed", type=int, default=0)
    main(p.parse_args())
