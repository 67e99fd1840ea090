import torch
from torch import nn


def block(n_in, n_out):
    return nn.Sequential(
        nn.Conv2d(n_in, n_out, 3, padding=1, bias=False),
        nn.BatchNorm2d(n_out),
        nn.ReLU(inplace=True),
        nn.Conv2d(n_out, n_out, 3, padding=1, bias=False),
        nn.BatchNorm2d(n_out),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, bands, n_classes, base):
        super().__init__()
        widths = [base, 2 * base, 4 * base, 32 * base]
        self.down = nn.ModuleList()
        n_in = bands
        for w in widths:
            self.down.append(block(n_in, w))
            n_in = w
        self.up = nn.ModuleList()
        self.merge = nn.ModuleList()
        for w in reversed(widths[:-1]):
            self.up.append(nn.ConvTranspose2d(n_in, w, 2, stride=2))
            self.merge.append(block(2 * w, w))
            n_in = w
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Conv2d(n_in, n_classes, 1)

    def forward(self, x):
        skips = []
        for i, stage in enumerate(self.down):
            x = stage(x if i == 0 else self.pool(x))
            skips.append(x)
        skips.pop()
        for up, merge in zip(self.up, self.merge):
            x = merge(torch.cat([up(x), skips.pop()], dim=1))
        return self.head(x)
