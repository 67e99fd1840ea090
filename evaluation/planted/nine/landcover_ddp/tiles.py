"""Satellite tiles in compressed shards, as the export job leaves them."""
from pathlib import Path

import numpy as np
import torch
from scipy import ndimage
from torch.utils.data import Dataset

from augment import augment


def make_shard(path, cfg, rng):
    n, s = cfg.tiles_per_shard, cfg.tile
    noise = rng.standard_normal((n, len(cfg.classes), s // 8, s // 8)).astype(np.float32)
    field = ndimage.zoom(noise, (1, 1, 8, 8), order=1)
    mask = field.argmax(axis=1).astype(np.uint8)
    signature = np.random.default_rng(cfg.seed).uniform(0.1, 0.8, (len(cfg.classes), cfg.bands))
    image = signature[mask].transpose(0, 3, 1, 2) + 0.15 * rng.standard_normal((n, cfg.bands, s, s))
    np.savez_compressed(path, image=(image * 10_000).clip(0, 65535).astype(np.uint16), mask=mask)


def export(root: Path, cfg):
    root.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(cfg.seed + 1)
    for k in range(cfg.shards):
        make_shard(root / f"shard-{k:03d}.npz", cfg, rng)


def read_tile(path, row):
    with np.load(path) as shard:
        image = shard["image"][row]
        mask = shard["mask"][row]
    return image.astype(np.float32) / 10_000, mask


class TileSet(Dataset):
    def __init__(self, root, shard_ids, cfg, train):
        self.paths = [Path(root) / f"shard-{k:03d}.npz" for k in shard_ids]
        self.cfg = cfg
        self.train = train
        self.epoch = 0
        self.mean = np.zeros((cfg.bands, 1, 1), np.float32)
        self.std = np.ones((cfg.bands, 1, 1), np.float32)

    def __len__(self):
        return len(self.paths) * self.cfg.tiles_per_shard

    def __getitem__(self, i):
        shard, row = divmod(i, self.cfg.tiles_per_shard)
        image, mask = read_tile(self.paths[shard], row)
        image = (image - self.mean) / self.std
        if self.train:
            rng = np.random.default_rng((self.cfg.seed, self.epoch, i))
            image, mask = augment(image, mask, rng)
        return torch.from_numpy(np.ascontiguousarray(image)), torch.from_numpy(mask.astype(np.int64))

    def use_stats(self, stats):
        self.mean, self.std = stats


def band_stats(tiles):
    """Mean and spread of each band over the raw training tiles."""
    total = np.zeros(tiles.cfg.bands)
    squares = np.zeros(tiles.cfg.bands)
    count = 0
    for i in range(len(tiles)):
        shard, row = divmod(i, tiles.cfg.tiles_per_shard)
        image, _ = read_tile(tiles.paths[shard], row)
        image = image.astype(np.float64)
        total += image.sum(axis=(1, 2))
        squares += (image**2).sum(axis=(1, 2))
        count += image[0].size
    mean = total / count
    std = np.sqrt(squares / count - mean**2)
    shape = (-1, 1, 1)
    return mean.reshape(shape).astype(np.float32), std.reshape(shape).astype(np.float32)
