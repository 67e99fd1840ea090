"""Satellite segmentation trainer."""
import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torchvision
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class TrainConfig:
    root: Path
    classes: int = 9
    batch_size: int = 16
    workers: int = 8
    epochs: int = 120
    lr: float = 6e-4


class Tiles(Dataset):
    def __init__(self, root):
        self.root = Path(root)
        self.ids = np.array(sorted(f.stem for f in (self.root / "img").glob("*.npy")))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        name = f"{self.ids[i]}.npy"
        img = np.load(self.root / "img" / name).astype(np.float32) / 255.0
        mask = np.load(self.root / "mask" / name).astype(np.int64)
        return torch.from_numpy(img).permute(2, 0, 1), torch.from_numpy(mask)


def get_loader(dataset, cfg, train):
    return DataLoader(dataset, batch_size=cfg.batch_size, shuffle=train,
                      num_workers=cfg.workers, pin_memory=True, drop_last=train,
                      persistent_workers=True)


class SegTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device("cuda")
        self.train_set = Tiles(cfg.root / "train")
        self.val_set = Tiles(cfg.root / "val")
        self.model = torchvision.models.segmentation.deeplabv3_resnet50(
            weights=None, num_classes=cfg.classes).to(self.device)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, fused=True)

    def loss(self, batch):
        x, y = (t.to(self.device, non_blocking=True) for t in batch)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return nn.functional.cross_entropy(self.model(x)["out"], y, ignore_index=255)

    def train_epoch(self, loader):
        self.model.train()
        for batch in loader:
            loss = self.loss(batch)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()

    @torch.inference_mode()
    def validate(self, loader):
        self.model.eval()
        losses = [self.loss(batch) for batch in loader]
        return torch.stack(losses).mean().item()

    def fit(self):
        best = float("inf")
        for epoch in range(self.cfg.epochs):
            self.train_epoch(get_loader(self.train_set, self.cfg, True))
            score = self.validate(get_loader(self.val_set, self.cfg, False))
            print(f"epoch {epoch} val {score:.4f}")
            if score < best:
                best = score
                torch.save(self.model.state_dict(), self.cfg.root / "best.pt")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root", type=Path)
    p.add_argument("--epochs", type=int, default=120)
    args = p.parse_args()
    torch.set_float32_matmul_precision("high")
    SegTrainer(TrainConfig(args.root, epochs=args.epochs)).fit()


if __name__ == "__main__":
    main()
