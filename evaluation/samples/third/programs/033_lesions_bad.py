"""Train a skin-lesion classifier on dermatoscope photographs.

lesions.py metadata.csv image_dir      (csv columns: image_id, diagnosis, split)
"""
import csv
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageEnhance
from torch import nn
from torch.utils.data import DataLoader, Dataset

DIAGNOSES = ("akiec", "bcc", "bkl", "df", "mel", "nv", "vasc")


@dataclass(frozen=True)
class Config:
    image_size: int = 224
    batch_size: int = 64
    workers: int = 0
    epochs: int = 25
    lr: float = 3e-4


class LesionDataset(Dataset):
    def __init__(self, rows, image_dir, size, augment):
        self.items = [(Path(image_dir) / f"{r['image_id']}.jpg", DIAGNOSES.index(r["diagnosis"]))
                      for r in rows]
        self.size = size
        self.augment = augment

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        path, label = self.items[i]
        image = Image.open(path).convert("RGB").resize((self.size, self.size), Image.BICUBIC)
        if self.augment:
            image = image.rotate(random.uniform(0, 360), resample=Image.BILINEAR)
            image = ImageEnhance.Color(image).enhance(random.uniform(0.7, 1.3))
            image = ImageEnhance.Brightness(image).enhance(random.uniform(0.8, 1.2))
        pixels = torch.from_numpy(np.array(image)).permute(2, 0, 1)
        return pixels.float().div(127.5).sub(1.0), label


def make_loader(dataset, cfg, train):
    return DataLoader(dataset, batch_size=cfg.batch_size, shuffle=train, drop_last=train,
                      num_workers=cfg.workers, persistent_workers=cfg.workers > 0,
                      pin_memory=torch.cuda.is_available())


def build_model():
    def block(a, b):
        return [nn.Conv2d(a, b, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU()]

    return nn.Sequential(*block(3, 32), *block(32, 64), *block(64, 128), *block(128, 256),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, len(DIAGNOSES)))


@torch.inference_mode()
def accuracy(model, loader, device):
    model.eval()
    hits = torch.zeros((), device=device)
    for images, labels in loader:
        images, labels = images.to(device, non_blocking=True), labels.to(device, non_blocking=True)
        hits += (model(images).argmax(1) == labels).sum()
    return hits.item() / len(loader.dataset)


def main(metadata, image_dir, cfg=Config()):
    with open(metadata, newline="") as f:
        rows = list(csv.DictReader(f))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    parts = {s: [r for r in rows if r["split"] == s] for s in ("train", "val")}
    train = make_loader(LesionDataset(parts["train"], image_dir, cfg.image_size, True), cfg, True)
    val = make_loader(LesionDataset(parts["val"], image_dir, cfg.image_size, False), cfg, False)

    model = build_model().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        model.train()
        for images, labels in train:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels, label_smoothing=0.1).backward()
            optimizer.step()
        print(f"epoch {epoch}: val accuracy {accuracy(model, val, device):.4f}")
    torch.save(model.state_dict(), "lesions.pt")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
