"""Polyp segmentation with a U-Net from segmentation_models_pytorch."""
import argparse
from pathlib import Path

import numpy as np
import segmentation_models_pytorch as smp
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Polyps(Dataset):
    def __init__(self, root, size=352):
        self.images = sorted(Path(root, "images").glob("*.png"))
        self.masks = sorted(Path(root, "masks").glob("*.png"))
        self.size = (size, size)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = Image.open(self.images[i]).convert("RGB").resize(self.size)
        mask = Image.open(self.masks[i]).convert("L").resize(self.size, Image.NEAREST)
        x = torch.from_numpy(np.array(image)).permute(2, 0, 1).float().div_(255)
        y = torch.from_numpy(np.array(mask) > 127).unsqueeze(0).float()
        return x, y


class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.total = 0.0
        self.count = 0

    def update(self, value, n):
        self.total = self.total + value.detach() * n
        self.count += n

    @property
    def mean(self):
        return float(self.total / max(self.count, 1))


class Trainer:
    def __init__(self, model, device, lr):
        self.model = model.to(device)
        self.device = device
        self.dice = smp.losses.DiceLoss("binary")
        self.bce = smp.losses.SoftBCEWithLogitsLoss()
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, fused=True)
        self.meter = Meter()

    def epoch(self, loader):
        self.model.train()
        self.meter.reset()
        for x, y in loader:
            x = x.to(self.device, non_blocking=True)
            y = y.to(self.device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                out = self.model(x)
            loss = self.dice(out.float(), y) + self.bce(out.float(), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.meter.update(loss, len(x))
        return self.meter.mean


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root")
    p.add_argument("--epochs", type=int, default=60)
    p.add_argument("--batch-size", type=int, default=24)
    args = p.parse_args()
    loader = DataLoader(
        Polyps(args.root), args.batch_size, shuffle=True, num_workers=8, pin_memory=True,
        persistent_workers=True, drop_last=True,
    )
    trainer = Trainer(smp.Unet("efficientnet-b4", classes=1), torch.device("cuda"), 3e-4)
    for epoch in range(args.epochs):
        print(f"epoch {epoch:3d} loss {trainer.epoch(loader):.4f}")
    torch.save(trainer.model.state_dict(), "polyp_unet.pt")


if __name__ == "__main__":
    main()
