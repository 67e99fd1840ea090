# requires: torch==2.0.*
"""Segments all slides of a folder with the trained U-Net and writes masks."""
import argparse
import pathlib
import time

import numpy as np
import tifffile
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


def block(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
        nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256), classes=4):
        super().__init__()
        ins = (3,) + widths[:-1]
        self.down = nn.ModuleList([block(i, o) for i, o in zip(ins, widths)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(o, i, 2, 2) for i, o in zip(widths[:-1], widths[1:])])
        self.merge = nn.ModuleList([block(2 * i, i) for i in widths[:-1]])
        self.head = nn.Conv2d(widths[0], classes, 1)

    def forward(self, x):
        skips = []
        for i, d in enumerate(self.down):
            x = d(x if i == 0 else nn.functional.max_pool2d(x, 2))
            skips.append(x)
        for i in reversed(range(len(self.up))):
            x = self.merge[i](torch.cat([self.up[i](x), skips[i]], 1))
        return self.head(x)


class Tiles(Dataset):
    def __init__(self, path, size=512):
        self.image = tifffile.imread(path)
        self.size = size
        h, w = self.image.shape[:2]
        self.at = [(r, c) for r in range(0, h - size + 1, size) for c in range(0, w - size + 1, size)]

    def __len__(self):
        return len(self.at)

    def __getitem__(self, i):
        r, c = self.at[i]
        tile = self.image[r:r + self.size, c:c + self.size]
        return torch.from_numpy(tile.copy()).permute(2, 0, 1).float() / 255, r, c


@torch.no_grad()
def segment(net, path, batch, device):
    tiles = Tiles(path)
    mask = np.zeros(tiles.image.shape[:2], np.uint8)
    for x, rows, cols in DataLoader(tiles, batch_size=batch, num_workers=4):
        fast = torch.compile(lambda t: net(t).softmax(1).argmax(1))
        labels = fast(x.to(device)).cpu().numpy().astype(np.uint8)
        for m, r, c in zip(labels, rows, cols):
            mask[r:r + tiles.size, c:c + tiles.size] = m
    return mask


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("slides", type=pathlib.Path)
    parser.add_argument("weights")
    parser.add_argument("--batch", type=int, default=8)
    args = parser.parse_args()
    device = torch.device("cuda")
    net = UNet().to(device).eval()
    net.load_state_dict(torch.load(args.weights, map_location=device))
    for path in sorted(args.slides.glob("*.tif")):
        started = time.time()
        mask = segment(net, path, args.batch, device)
        tifffile.imwrite(path.with_suffix(".mask.tif"), mask)
        print(path.name, "%.1fs" % (time.time() - started), np.bincount(mask.ravel(), minlength=4))


if __name__ == "__main__":
    main()
