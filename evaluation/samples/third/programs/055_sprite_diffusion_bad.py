# Denoising diffusion on 32x32 game sprites (DDPM, noise prediction).
# usage: python sprite_diffusion.py sprites.npy      uint8 [n, 4, 32, 32], RGBA
import copy
import math
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
T = 1000
STEPS = 200_000
BATCH = 256


class Sprites(Dataset):
    def __init__(self, path):
        self.data = torch.from_numpy(np.load(path))

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i]


class Block(nn.Module):
    def __init__(self, width, emb):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)
        self.norm1, self.norm2 = nn.GroupNorm(8, width), nn.GroupNorm(8, width)
        self.scale = nn.Linear(emb, width)

    def forward(self, x, emb):
        h = self.conv1(F.silu(self.norm1(x))) + self.scale(emb)[:, :, None, None]
        return x + self.conv2(F.silu(self.norm2(h)))


class Denoiser(nn.Module):
    def __init__(self, width=128, depth=8, emb=256):
        super().__init__()
        freqs = torch.exp(-math.log(10_000) * torch.arange(64) / 64)
        self.register_buffer("freqs", freqs, persistent=False)
        self.time = nn.Sequential(nn.Linear(128, emb), nn.SiLU(), nn.Linear(emb, emb), nn.SiLU())
        self.inp = nn.Conv2d(4, width, 3, padding=1)
        self.blocks = nn.ModuleList(Block(width, emb) for _ in range(depth))
        self.out = nn.Conv2d(width, 4, 3, padding=1)

    def forward(self, x, t):
        angle = t[:, None].float() * self.freqs
        emb = self.time(torch.cat([angle.sin(), angle.cos()], dim=-1))
        x = self.inp(x)
        for block in self.blocks:
            x = block(x, emb)
        return self.out(x)


def cosine_alpha_bar(steps):
    s = torch.linspace(0, 1, steps + 1, device=device)[1:]
    return torch.cos((s + 0.008) / 1.008 * math.pi / 2) ** 2


alpha_bar = cosine_alpha_bar(T)


def diffusion_loss(model, x0):
    t = torch.randint(0, T, (x0.shape[0],)).to(device)
    noise = torch.randn(x0.shape).to(device)
    ab = alpha_bar[t][:, None, None, None]
    noisy = ab.sqrt() * x0 + (1 - ab).sqrt() * noise
    return F.mse_loss(model(noisy, t), noise)


def forever(loader):
    while True:
        yield from loader


def main(path):
    loader = DataLoader(Sprites(path), batch_size=BATCH, shuffle=True, drop_last=True,
                        num_workers=2, persistent_workers=True, pin_memory=True)
    model = Denoiser().to(device)
    ema = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)

    for step, batch in zip(range(STEPS), forever(loader)):
        x0 = batch.to(device, non_blocking=True).float() / 127.5 - 1
        loss = diffusion_loss(model, x0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(ema.parameters()), list(model.parameters()), 0.001)
        if step % 500 == 0:
            print(f"{step:7d}  {loss.item():.4f}")
        if step % 20_000 == 0:
            torch.save(ema.state_dict(), "sprites_ema.pt")


if __name__ == "__main__":
    main(sys.argv[1])
