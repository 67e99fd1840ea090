import math

import torch
from torch import nn


class TimeEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))
        half = dim // 2
        freqs = torch.exp(-math.log(10000) * torch.arange(half) / half)
        self.register_buffer("freqs", freqs)

    def forward(self, t):
        args = t[:, None].float() * self.freqs[None]
        return self.mlp(torch.cat([args.sin(), args.cos()], dim=-1))


class Block(nn.Module):
    def __init__(self, cin, cout, temb):
        super().__init__()
        self.norm = nn.GroupNorm(min(8, cin), cin)
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)
        self.time = nn.Linear(temb, cout)
        self.skip = nn.Conv2d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x, temb):
        h = self.conv(nn.functional.silu(self.norm(x)))
        return h + self.time(temb)[:, :, None, None] + self.skip(x)


class UNet(nn.Module):
    def __init__(self, width=64, temb=128):
        super().__init__()
        self.time = TimeEmbedding(temb)
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.down = nn.ModuleList([Block(width, width, temb), Block(width, 2 * width, temb)])
        self.mid = Block(2 * width, 2 * width, temb)
        self.up = nn.ModuleList([Block(4 * width, width, temb), Block(2 * width, width, temb)])
        self.out = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, x, t):
        temb = self.time(t)
        h = self.stem(x)
        skips = []
        for block in self.down:
            h = block(h, temb)
            skips.append(h)
            h = nn.functional.avg_pool2d(h, 2)
        h = self.mid(h, temb)
        for block in self.up:
            h = nn.functional.interpolate(h, scale_factor=2)
            h = block(torch.cat([h, skips.pop()], dim=1), temb)
        return self.out(h)
