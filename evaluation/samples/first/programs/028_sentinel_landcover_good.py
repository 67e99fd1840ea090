"""Land cover segmentation on Sentinel-2 tiles."""
import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.models.segmentation import deeplabv3_resnet50


class Tiles(Dataset):
    def __init__(self, folder):
        self.files = sorted(Path(folder).glob("*.npz"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        with np.load(self.files[i]) as z:
            bands = z["bands"].astype("float32") / 10_000
            return torch.from_numpy(bands), torch.from_numpy(z["classes"].astype("int64"))


def network(bands, classes):
    net = deeplabv3_resnet50(weights=None, weights_backbone=None, num_classes=classes)
    net.backbone.conv1 = nn.Conv2d(bands, 64, 7, stride=2, padding=3, bias=False)
    return net


class Learner:
    def __init__(self, bands, classes, lr):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        print(f"training on {self.device}")
        self.net = network(bands, classes).to(self.device)
        self.classes = classes
        self.criterion = nn.CrossEntropyLoss(ignore_index=255)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=lr)

    def _predict(self, bands):
        return self.net(bands)["out"]

    def fit_epoch(self, loader):
        self.net.train()
        for step, (bands, target) in enumerate(loader):
            bands = bands.to(self.device, non_blocking=True)
            target = target.to(self.device, non_blocking=True)
            loss = self.criterion(self._predict(bands), target)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            if step % 50 == 0:
                print(f"  step {step} loss {loss.item():.4f}")

    @torch.inference_mode()
    def miou(self, loader):
        self.net.eval()
        conf = torch.zeros(self.classes, self.classes, device=self.device)
        for bands, target in loader:
            bands = bands.to(self.device, non_blocking=True)
            target = target.to(self.device, non_blocking=True)
            pred = self._predict(bands).argmax(1)
            code = torch.where(target == 255, self.classes**2, target * self.classes + pred)
            counts = torch.bincount(code.flatten(), minlength=self.classes**2 + 1)
            conf += counts[:-1].reshape(self.classes, self.classes)
        inter = conf.diag()
        return (inter / (conf.sum(0) + conf.sum(1) - inter).clamp(min=1)).mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root", type=Path)
    p.add_argument("--epochs", type=int, default=50)
    p.add_argument("--batch-size", type=int, default=16)
    args = p.parse_args()
    opts = dict(batch_size=args.batch_size, num_workers=8, pin_memory=True, persistent_workers=True)
    train = DataLoader(Tiles(args.root / "train"), shuffle=True, drop_last=True, **opts)
    valid = DataLoader(Tiles(args.root / "valid"), **opts)
    learner = Learner(bands=10, classes=9, lr=2e-4)
    for epoch in range(args.epochs):
        learner.fit_epoch(train)
        print(f"epoch {epoch} mIoU {learner.miou(valid):.4f}")


if __name__ == "__main__":
    main()
