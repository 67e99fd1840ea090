"""Nuclei segmentation in fluorescence microscopy: training with early stopping."""
import gc
import logging
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset

log = logging.getLogger("nuclei")


class Crops(Dataset):
    """images.npy: uint8 [n, 1, 256, 256]; masks.npy: uint8 of the same shape, 0 or 1."""

    def __init__(self, folder):
        self.images = np.load(Path(folder) / "images.npy", mmap_mode="r")
        self.masks = np.load(Path(folder) / "masks.npy", mmap_mode="r")

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return torch.from_numpy(np.array(self.images[i])), torch.from_numpy(np.array(self.masks[i]))


def double_conv(a, b):
    return nn.Sequential(
        nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True),
        nn.Conv2d(b, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()
        self.down = nn.ModuleList(double_conv(a, b) for a, b in zip((1,) + widths[:-1], widths))
        self.up = nn.ModuleList(double_conv(a + b, b) for a, b in zip(widths[:0:-1], widths[-2::-1]))
        self.out = nn.Conv2d(widths[0], 1, 1)

    def forward(self, x):
        skips = []
        for i, block in enumerate(self.down):
            x = block(F.max_pool2d(x, 2) if i else x)
            skips.append(x)
        for block, skip in zip(self.up, skips[-2::-1]):
            x = block(torch.cat([F.interpolate(x, scale_factor=2.0), skip], dim=1))
        return self.out(x)


def dice_loss(logits, mask):
    p = logits.sigmoid()
    return 1 - (2 * (p * mask).sum() + 1) / (p.sum() + mask.sum() + 1)


class SegTrainer:
    def __init__(self, model, lr=1e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def _loss(self, batch):
        image, mask = (t.to(self.device, non_blocking=True).float() for t in batch)
        logits = self.model(image / 255)
        return F.binary_cross_entropy_with_logits(logits, mask) + dice_loss(logits, mask)

    def _reclaim(self):
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def train_batch(self, batch):
        loss = self._loss(batch)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def train_epoch(self, loader):
        self.model.train()
        for batch in loader:
            self.train_batch(batch)
            self._reclaim()

    @torch.no_grad()
    def validate(self, loader):
        self.model.eval()
        return (sum(self._loss(batch) for batch in loader) / len(loader)).item()

    def fit(self, train, val, epochs=100, patience=10):
        best, stale = float("inf"), 0
        for epoch in range(epochs):
            self.train_epoch(train)
            score = self.validate(val)
            log.info("epoch %d: val loss %.4f", epoch, score)
            stale = 0 if score < best else stale + 1
            if score < best:
                best = score
                torch.save(self.model.state_dict(), "nuclei.pt")
            if stale >= patience:
                break


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    crops = Crops(sys.argv[1])
    cut = int(0.9 * len(crops))
    options = dict(batch_size=16, num_workers=4, persistent_workers=True, pin_memory=True)
    train_loader = DataLoader(Subset(crops, range(cut)), shuffle=True, drop_last=True, **options)
    val_loader = DataLoader(Subset(crops, range(cut, len(crops))), **options)
    SegTrainer(UNet()).fit(train_loader, val_loader)
