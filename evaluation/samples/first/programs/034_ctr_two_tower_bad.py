"""Two-tower click model on impression logs."""
import argparse

import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

USER = ["user_id", "age_band", "device", "country"]
ITEM = ["item_id", "category", "brand", "price_band"]


class Impressions(Dataset):
    def __init__(self, path):
        self.log = pd.read_parquet(path, columns=USER + ITEM + ["clicked"])
        self.sizes = {c: int(self.log[c].max()) + 1 for c in USER + ITEM}

    def __len__(self):
        return len(self.log)

    def __getitem__(self, idx):
        row = self.log.iloc[idx]
        user = torch.tensor([int(row[c]) for c in USER])
        item = torch.tensor([int(row[c]) for c in ITEM])
        return user, item, torch.tensor(float(row["clicked"]))


class Tower(nn.Module):
    def __init__(self, sizes, dim, out):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(n, dim) for n in sizes)
        self.mlp = nn.Sequential(nn.Linear(dim * len(sizes), 256), nn.ReLU(), nn.Linear(256, out))

    def forward(self, codes):
        emb = [table(c) for table, c in zip(self.tables, codes.unbind(1))]
        return self.mlp(torch.cat(emb, dim=1))


class TwoTower(nn.Module):
    def __init__(self, sizes, dim=32, out=64):
        super().__init__()
        self.user = Tower([sizes[c] for c in USER], dim, out)
        self.item = Tower([sizes[c] for c in ITEM], dim, out)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, user, item):
        return (self.user(user) * self.item(item)).sum(1) + self.bias


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("log")
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--batch-size", type=int, default=8192)
    args = ap.parse_args()
    device = torch.device("cuda")
    ds = Impressions(args.log)
    loader = DataLoader(
        ds, args.batch_size, shuffle=True, num_workers=8, pin_memory=True, persistent_workers=True,
        drop_last=True,
    )
    model = TwoTower(ds.sizes).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, fused=True)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(args.epochs):
        for step, batch in enumerate(loader):
            user, item, clicked = (t.to(device, non_blocking=True) for t in batch)
            loss = criterion(model(user, item), clicked)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 500 == 0:
                print(epoch, step, round(loss.item(), 5))
    torch.save(model.state_dict(), "two_tower.pt")


if __name__ == "__main__":
    main()
