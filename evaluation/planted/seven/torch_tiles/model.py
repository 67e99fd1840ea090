import torch
import torch.nn as nn
import torch.nn.functional as F


class BandGate(nn.Module):
    """Squeeze-and-excite over the bands."""

    def __init__(self, ch):
        super().__init__()
        self.down = nn.Linear(ch, ch // 4)
        self.up = nn.Linear(ch // 4, ch)

    def forward(self, x):
        gated = []
        for sample in x:
            pooled = sample.mean(dim=(1, 2))
            w = torch.sigmoid(self.up(F.relu(self.down(pooled))))
            gated.append(sample * w.view(-1, 1, 1))
        return torch.stack(gated)


class Block(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(cout)
        self.gate = BandGate(cout)

    def forward(self, x):
        return self.gate(F.relu(self.norm(self.conv(x))))


class TileNet(nn.Module):
    def __init__(self, bands, classes, width=24):
        super().__init__()
        self.blocks = nn.Sequential(
            Block(bands, width), Block(width, 2 * width), Block(2 * width, 4 * width))
        self.head = nn.Sequential(nn.Linear(4 * width * 36, 1024), nn.ReLU(), nn.Linear(1024, classes))

    def forward(self, x):
        return self.head(self.blocks(x).flatten(1))
