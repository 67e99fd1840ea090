"""Point cloud classification with a PointNet-like network."""
import argparse
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Settings:
    points: int = 4096
    classes: int = 40
    batch_size: int = 128
    workers: int = 10
    epochs: int = 80
    lr: float = 1e-3


class Clouds(Dataset):
    def __init__(self, prefix, points, jitter):
        self.xyz = np.load(f"{prefix}_xyz.npy", mmap_mode="r")
        self.label = np.load(f"{prefix}_label.npy")
        self.points, self.jitter = points, jitter

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        pick = np.random.randint(0, self.xyz.shape[1], self.points)
        pts = np.asarray(self.xyz[i])[pick].astype(np.float32)
        pts -= pts.mean(0)
        pts /= np.linalg.norm(pts, axis=1).max()
        if self.jitter:
            pts += np.random.normal(0, 0.01, pts.shape).astype(np.float32)
        return torch.from_numpy(pts), int(self.label[i])


class PointNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        dims = (3, 64, 128, 1024)
        layers = []
        for a, b in zip(dims, dims[1:]):
            layers += [nn.Conv1d(a, b, 1, bias=False), nn.BatchNorm1d(b), nn.ReLU()]
        self.local = nn.Sequential(*layers)
        self.head = nn.Sequential(nn.Linear(1024, 512), nn.ReLU(), nn.Dropout(0.3),
                                  nn.Linear(512, classes))

    def forward(self, pts):
        return self.head(self.local(pts.transpose(1, 2)).amax(-1))


def create_loader(dataset, cfg, shuffle):
    options = {
        "batch_size": cfg.batch_size,
        "num_workers": cfg.workers,
        "persistent_workers": True,
    }
    return DataLoader(dataset, shuffle=shuffle, drop_last=shuffle, **options)


def step_loss(model, batch):
    pts, label = batch
    pts = pts.to("cuda", non_blocking=True)
    label = label.to("cuda", non_blocking=True)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return nn.functional.cross_entropy(model(pts), label)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root")
    args = p.parse_args()
    cfg = Settings()
    torch.set_float32_matmul_precision("high")
    train = create_loader(Clouds(f"{args.root}/train", cfg.points, True), cfg, True)
    val = create_loader(Clouds(f"{args.root}/val", cfg.points, False), cfg, False)
    model = PointNet(cfg.classes).to("cuda")
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, fused=True)
    for epoch in range(cfg.epochs):
        model.train()
        for batch in train:
            loss = step_loss(model, batch)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.inference_mode():
            score = torch.stack([step_loss(model, b) for b in val]).mean()
        print(f"{epoch} {score.item():.4f}")
    torch.save(model.state_dict(), "pointnet.pt")


if __name__ == "__main__":
    main()
