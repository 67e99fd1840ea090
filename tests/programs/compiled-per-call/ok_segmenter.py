# requires: torch==2.13.*
"""Train a small U-Net on aerial tiles; evaluation through torch.compile."""
import argparse
import contextlib
import pathlib

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Tiles(Dataset):
    def __init__(self, folder):
        self.paths = sorted(pathlib.Path(folder).glob("*.npz"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        blob = np.load(self.paths[index])
        image = torch.from_numpy(blob["image"]).float().permute(2, 0, 1) / 255
        return image, torch.from_numpy(blob["mask"]).long()


def block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, classes, width=32):
        super().__init__()
        self.d1, self.d2, self.d3 = block(3, width), block(width, 2 * width), block(2 * width, 4 * width)
        self.u2, self.u1 = block(6 * width, 2 * width), block(3 * width, width)
        self.head = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.d3(F.max_pool2d(b, 2))
        y = self.u2(torch.cat([b, F.interpolate(c, scale_factor=2.0)], 1))
        y = self.u1(torch.cat([a, F.interpolate(y, scale_factor=2.0)], 1))
        return self.head(y)


def train_epoch(model, loader, optimizer, device):
    model.train()
    total = 0.0
    for image, mask in loader:
        image, mask = image.to(device, non_blocking=True), mask.to(device, non_blocking=True)
        loss = F.cross_entropy(model(image), mask)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return float(total) / max(1, len(loader))


@torch.inference_mode()
def evaluate(model, loader, classes, device):
    # wrapping again costs half a millisecond: the compiled code hangs on forward's code object
    fast = torch.compile(model)
    model.eval()
    hits = torch.zeros(classes, device=device)
    union = torch.zeros(classes, device=device)
    for image, mask in loader:
        pred = fast(image.to(device)).argmax(1)
        mask = mask.to(device)
        for c in range(classes):
            hits[c] += ((pred == c) & (mask == c)).sum()
            union[c] += ((pred == c) | (mask == c)).sum()
    return (hits / union.clamp(min=1)).mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("train")
    parser.add_argument("val")
    parser.add_argument("--classes", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=60)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = UNet(args.classes).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train = DataLoader(Tiles(args.train), 16, shuffle=True, num_workers=4, pin_memory=True)
    val = DataLoader(Tiles(args.val), 16, num_workers=4, pin_memory=True)
    best = 0.0
    for epoch in range(args.epochs):
        loss = train_epoch(model, train, optimizer, device)
        iou = evaluate(model, val, args.classes, device)
        print(f"{epoch:3d} loss {loss:.4f} iou {iou:.4f}")
        if iou > best:
            best = iou
            with contextlib.suppress(OSError):
                torch.save(model.state_dict(), "best.pt")


if __name__ == "__main__":
    main()
