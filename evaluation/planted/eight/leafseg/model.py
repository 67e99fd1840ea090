import math

import torch
from torch import nn


class Block(nn.Sequential):
    def __init__(self, cin, cout):
        super().__init__(
            nn.Conv2d(cin, cout, 3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(inplace=True),
            nn.Conv2d(cout, cout, 3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(inplace=True),
        )


def coord_planes(height, width):
    rows = [[y / height for x in range(width)] for y in range(height)]
    cols = [[x / width for x in range(width)] for y in range(height)]
    radius = [[((y / height - 0.5) ** 2 + (x / width - 0.5) ** 2) ** 0.5 for x in range(width)] for y in range(height)]
    wave = [[math.sin(6.3 * y / height) * math.sin(6.3 * x / width) for x in range(width)] for y in range(height)]
    angle = [[math.atan2(y - height / 2, x - width / 2) for x in range(width)] for y in range(height)]
    return torch.tensor([rows, cols, radius, wave, angle])


class TinyUNet(nn.Module):
    def __init__(self, classes=8, width=8, size=64):
        super().__init__()
        self.down1 = Block(8, width)
        self.down2 = Block(width, width * 2)
        self.mid = Block(width * 2, width * 4)
        self.up2 = Block(width * 6, width * 2)
        self.up1 = Block(width * 3, width)
        self.head = nn.Conv2d(width, classes, 1)
        self.pool = nn.MaxPool2d(2)
        self.grow = nn.Upsample(scale_factor=2, mode="nearest")

    def forward(self, x):
        n, _, h, w = x.shape
        planes = coord_planes(h, w).to(x)
        x = torch.cat([x, planes.expand(n, -1, -1, -1)], 1)
        a = self.down1(x)
        b = self.down2(self.pool(a))
        c = self.mid(self.pool(b))
        b = self.up2(torch.cat([self.grow(c), b], 1))
        a = self.up1(torch.cat([self.grow(b), a], 1))
        return self.head(a)
