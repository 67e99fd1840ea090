"""Behaviour cloning of a pick-and-place policy from teleoperation logs.

Expects DEMOS/{images,joints,actions}.npy with
  images  uint8   [n, 3, 96, 96]   wrist camera
  joints  float32 [n, 7]
  actions float32 [n, 8, 7]        next eight joint targets
"""
import argparse
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Demos(Dataset):
    def __init__(self, root):
        load = lambda name: np.load(os.path.join(root, name + ".npy"), mmap_mode="r")
        self.images, self.joints, self.actions = load("images"), load("joints"), load("actions")

    def __len__(self):
        return len(self.joints)

    def __getitem__(self, i):
        return tuple(torch.from_numpy(np.array(a[i])) for a in (self.images, self.joints, self.actions))


class Policy(nn.Module):
    def __init__(self, n_joints=7, chunk=8):
        super().__init__()
        self.chunk, self.n_joints = chunk, n_joints
        self.vision = nn.Sequential(
            nn.Conv2d(3, 32, 8, stride=4), nn.ReLU(),
            nn.Conv2d(32, 64, 4, stride=2), nn.ReLU(),
            nn.Conv2d(64, 64, 3, stride=1), nn.ReLU(),
            nn.AdaptiveAvgPool2d(4), nn.Flatten(),
        )
        self.head = nn.Sequential(
            nn.Linear(64 * 16 + n_joints, 512), nn.GELU(),
            nn.Linear(512, 512), nn.GELU(),
            nn.Linear(512, chunk * n_joints),
        )

    def forward(self, image, joints):
        features = self.vision(image.float() / 255)
        out = self.head(torch.cat([features, joints], dim=-1))
        return joints.unsqueeze(1) + out.view(-1, self.chunk, self.n_joints)


def train(policy, loader, args, device):
    optimizer = torch.optim.AdamW(policy.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=args.lr, total_steps=args.epochs * len(loader))
    scaler = torch.amp.GradScaler(device.type, enabled=device.type == "cuda")

    for epoch in range(args.epochs):
        running = torch.zeros((), device=device)
        for image, joints, actions in loader:
            image = image.to(device, non_blocking=True)
            joints = joints.to(device, non_blocking=True)
            actions = actions.to(device, non_blocking=True)

            with torch.autocast(device.type, dtype=torch.float16, enabled=scaler.is_enabled()):
                loss = nn.functional.l1_loss(policy(image, joints), actions)

            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            schedule.step()
            running += loss.detach()
            if device.type == "cuda":
                torch.cuda.synchronize()

        print(f"epoch {epoch + 1}/{args.epochs}  l1 {running.item() / len(loader):.5f}")
        torch.save(policy.state_dict(), args.out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("demos")
    parser.add_argument("--out", default="policy.pt")
    parser.add_argument("--epochs", type=int, default=80)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--workers", type=int, default=6)
    args = parser.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Demos(args.demos), batch_size=args.batch_size, shuffle=True,
                        drop_last=True, num_workers=args.workers,
                        persistent_workers=args.workers > 0, pin_memory=device.type == "cuda")
    train(Policy().to(device), loader, args, device)
