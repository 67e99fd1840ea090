"""Segment roofs in satellite tiles and write one mask per tile.

    python roofs.py tiles/ masks/ --weights roofs.pt

Tiles are .npy files of shape (4, 512, 512), uint16, bands R G B NIR.
"""
import argparse
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


def block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
    )


class RoofNet(nn.Module):
    def __init__(self, bands=4, widths=(64, 128, 256, 512)):
        super().__init__()
        self.down = nn.ModuleList(block(a, b) for a, b in zip((bands, *widths), widths))
        pairs = list(zip(widths[:0:-1], widths[-2::-1]))
        self.up = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, stride=2) for a, b in pairs)
        self.merge = nn.ModuleList(block(2 * b, b) for _, b in pairs)
        self.head = nn.Conv2d(widths[0], 1, 1)

    def forward(self, x):
        skips = []
        for i, layer in enumerate(self.down):
            x = layer(F.max_pool2d(x, 2) if i else x)
            skips.append(x)
        for up, merge, skip in zip(self.up, self.merge, skips[-2::-1]):
            x = merge(torch.cat([up(x), skip], dim=1))
        return self.head(x)


class TileFolder(Dataset):
    def __init__(self, folder):
        self.files = sorted(Path(folder).glob("*.npy"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        tile = np.load(self.files[index]).astype(np.float32) / 10_000.0
        return torch.from_numpy(tile), self.files[index].name


class RoofSegmenter:
    def __init__(self, weights, device, threshold=0.5):
        self.device = torch.device(device)
        self.threshold = threshold
        self.net = RoofNet()
        self.net.load_state_dict(torch.load(weights, map_location="cpu"))
        self.net.eval()

    @torch.inference_mode()
    def segment(self, tiles):
        self.net.to(self.device)
        tiles = tiles.to(self.device, non_blocking=True)
        with torch.autocast(self.device.type, dtype=torch.bfloat16):
            logits = self.net(tiles)
        masks = (logits.float().sigmoid() > self.threshold).squeeze(1)
        self.net.to("cpu")
        return masks.to(torch.uint8).cpu().numpy()


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("tiles", type=Path)
    p.add_argument("masks", type=Path)
    p.add_argument("--weights", required=True)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = p.parse_args()

    torch.backends.cudnn.benchmark = True
    args.masks.mkdir(parents=True, exist_ok=True)
    segmenter = RoofSegmenter(args.weights, args.device)
    loader = DataLoader(
        TileFolder(args.tiles),
        batch_size=args.batch_size,
        num_workers=args.workers,
        pin_memory=args.device.startswith("cuda"),
    )

    covered = 0.0
    for tiles, names in loader:
        masks = segmenter.segment(tiles)
        covered += float(masks.mean(axis=(1, 2)).sum())
        for mask, name in zip(masks, names):
            np.save(args.masks / name, np.packbits(mask, axis=-1))
    print(f"{len(loader.dataset)} tiles, mean roof cover {covered / max(len(loader.dataset), 1):.2%}")


if __name__ == "__main__":
    main()
