"""Multi-label findings on chest X-rays."""
import argparse
import csv
from pathlib import Path

import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import models
from torchvision.transforms import v2

AUGMENT = v2.Compose(
    [
        v2.RandomResizedCrop(320, scale=(0.6, 1.0)),
        v2.RandomAffine(10, translate=(0.05, 0.05)),
        v2.ColorJitter(0.2, 0.2),
        v2.ToImage(),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize([0.5] * 3, [0.25] * 3),
    ]
)


class ChestXray(Dataset):
    def __init__(self, root, table, transform):
        self.root = Path(root)
        self.transform = transform
        with open(table, newline="") as fh:
            rows = list(csv.reader(fh))
        self.findings = rows[0][1:]
        self.files = [r[0] for r in rows[1:]]
        self.targets = torch.tensor([[float(v) for v in r[1:]] for r in rows[1:]])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        image = Image.open(self.root / self.files[index]).convert("RGB")
        return self.transform(image), self.targets[index]


def make_loader(ds, batch_size):
    return DataLoader(
        ds, batch_size=batch_size, shuffle=True, drop_last=True, pin_memory=True,
        num_workers=12, persistent_workers=True,
    )


def make_model(findings):
    net = models.densenet121(weights=models.DenseNet121_Weights.DEFAULT)
    net.classifier = nn.Linear(net.classifier.in_features, findings)
    return net


def fit(net, loader, epochs, device):
    net = net.to(device, memory_format=torch.channels_last)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-4, weight_decay=1e-2, fused=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-4, total_steps=epochs * len(loader))
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(epochs):
        net.train()
        running = torch.zeros((), device=device)
        for x, y in loader:
            x = x.to(device, non_blocking=True, memory_format=torch.channels_last)
            y = y.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            running += loss.detach()
        print(f"epoch {epoch}: bce {running.item() / len(loader):.4f}")
    return net


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("table")
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--batch-size", type=int, default=64)
    args = ap.parse_args()
    ds = ChestXray(args.root, args.table, AUGMENT)
    net = fit(make_model(len(ds.findings)), make_loader(ds, args.batch_size), args.epochs, torch.device("cuda"))
    torch.save({"state": net.state_dict(), "findings": ds.findings}, "cxr.pt")


if __name__ == "__main__":
    main()
