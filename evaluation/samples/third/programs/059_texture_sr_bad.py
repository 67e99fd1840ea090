"""Adversarial 4x super-resolution of game textures.

texture_sr.py PATCHES.npy [--epochs N]       (uint8 [n, 3, 128, 128])
"""
import argparse
from collections import defaultdict

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    def __init__(self, path):
        self.array = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.array)

    def __getitem__(self, i):
        return torch.from_numpy(np.array(self.array[i]))


class Meters:
    """Running means by name."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.total = defaultdict(float)
        self.count = defaultdict(int)

    def update(self, **values):
        for name, value in values.items():
            self.total[name] += float(value)
            self.count[name] += 1

    def summary(self):
        return "  ".join(f"{k} {float(v) / self.count[k]:.4f}" for k, v in self.total.items())


class ResBlock(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Conv2d(width, width, 3, padding=1), nn.PReLU(),
                         nn.Conv2d(width, width, 3, padding=1))

    def forward(self, x):
        return x + 0.2 * super().forward(x)


def generator(width=64, depth=12):
    return nn.Sequential(nn.Conv2d(3, width, 3, padding=1),
                         *[ResBlock(width) for _ in range(depth)],
                         nn.Conv2d(width, 48, 3, padding=1), nn.PixelShuffle(4))


def discriminator(width=64):
    layers, c = [], 3
    for k in range(4):
        layers += [nn.Conv2d(c, width << k, 4, stride=2, padding=1), nn.LeakyReLU(0.2)]
        c = width << k
    return nn.Sequential(*layers, nn.Conv2d(c, 1, 3, padding=1))


class SRTrainer:
    def __init__(self, device):
        self.device = device
        self.gen, self.disc = generator().to(device), discriminator().to(device)
        self.opt_g = torch.optim.Adam(self.gen.parameters(), lr=1e-4, betas=(0.5, 0.99))
        self.opt_d = torch.optim.Adam(self.disc.parameters(), lr=1e-4, betas=(0.5, 0.99))
        self.meters = Meters()

    def step(self, patches):
        high = patches.to(self.device, non_blocking=True).float() / 127.5 - 1
        low = F.avg_pool2d(high, 4)
        fake = self.gen(low)

        d_loss = F.relu(1 - self.disc(high)).mean() + F.relu(1 + self.disc(fake.detach())).mean()
        self.opt_d.zero_grad()
        d_loss.backward()
        self.opt_d.step()

        pixel = F.l1_loss(fake, high)
        adversarial = -self.disc(fake).mean()
        self.opt_g.zero_grad()
        (pixel + 5e-3 * adversarial).backward()
        self.opt_g.step()
        self.meters.update(pixel=pixel, adversarial=adversarial, critic=d_loss)

    def fit(self, loader, epochs, log_every=200):
        for epoch in range(epochs):
            for i, patches in enumerate(loader, 1):
                self.step(patches)
                if i % log_every == 0:
                    print(f"[{epoch}:{i}] {self.meters.summary()}")
                    self.meters.reset()
            torch.save(self.gen.state_dict(), "texture_sr.pt")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("patches")
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--batch-size", type=int, default=16)
    opts = parser.parse_args()
    data = DataLoader(Patches(opts.patches), batch_size=opts.batch_size, shuffle=True,
                      drop_last=True, num_workers=4, persistent_workers=True, pin_memory=True)
    SRTrainer(torch.device("cuda")).fit(data, opts.epochs)
