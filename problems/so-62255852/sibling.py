"""Slides of a microscope are sorted by a PyTorch network that looks at thumbnails."""

import tempfile
from pathlib import Path

import numpy as np
import torch
from sibling_scans import SlideFolder
from torch import nn


def record_slides(root, count=3, edge=1024):
    rng = np.random.default_rng(12)
    for number in range(count):
        np.save(root / f"slide{number}.npy", rng.integers(0, 256, (3, edge, edge), np.uint8))


def main():
    torch.manual_seed(2)
    sorter = nn.Sequential(nn.Conv2d(3, 4, 5, stride=4), nn.Flatten(), nn.LazyLinear(2))
    with tempfile.TemporaryDirectory() as scratch:
        record_slides(Path(scratch))
        thumbnails = SlideFolder(Path(scratch), edge=64).thumbnails()
    return sorter(thumbnails / 255).argmax(dim=1).tolist()


if __name__ == "__main__":
    print(main())
