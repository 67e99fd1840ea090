"""Synthetic multi-band satellite tiles, stored as compressed shards on disk."""
import json
import os

import numpy as np
import torch
from torch.utils.data import Dataset

BANDS, SIZE, CLASSES = 6, 48, 8


def write_shards(root, n_shards=12, per_shard=24, seed=0):
    rng = np.random.default_rng(seed)
    os.makedirs(root, exist_ok=True)
    index = []
    for s in range(n_shards):
        labels = rng.integers(0, CLASSES, per_shard)
        tiles = rng.normal(0, 40, (per_shard, BANDS, SIZE, SIZE))
        tiles += labels[:, None, None, None] * 15 + 400
        np.savez_compressed(f"{root}/shard_{s:03d}.npz",
                            tiles=tiles.astype(np.int16), labels=labels)
        for i in range(per_shard):
            index.append({
                "shard": s, "row": i, "label": int(labels[i]),
                "footprint": rng.uniform(-90, 90, 60).round(5).tolist(),
                "acquired": f"2024-05-{1 + i % 28:02d}T10:{i % 60:02d}:00Z",
            })
    with open(f"{root}/index.json", "w") as f:
        json.dump(index * 8, f)
    return len(index)


class TileDataset(Dataset):
    def __init__(self, root, rows, train=True):
        self.root, self.rows, self.train = root, rows, train
        self.index = None

    def _open(self):
        with open(f"{self.root}/index.json") as f:
            self.index = json.load(f)

    def __len__(self):
        return len(self.rows)

    def _read(self, entry):
        shard = np.load(f"{self.root}/shard_{entry['shard']:03d}.npz")
        return shard["tiles"][entry["row"]]

    def _clip_outliers(self, tile):
        out = np.empty(tile.shape, dtype=np.float64)
        for b in range(tile.shape[0]):
            lo, hi = np.percentile(tile[b], 1), np.percentile(tile[b], 99)
            for y in range(tile.shape[1]):
                for x in range(tile.shape[2]):
                    v = tile[b, y, x]
                    out[b, y, x] = lo if v < lo else hi if v > hi else v
        return out

    def __getitem__(self, i):
        if self.index is None:
            self._open()
        entry = self.index[self.rows[i]]
        tile = self._clip_outliers(self._read(entry))
        tile = (tile - tile.mean()) / (tile.std() + 1e-6)
        if self.train and np.random.rand() < 0.5:
            tile = tile[:, :, ::-1].copy()
        return torch.tensor(tile, dtype=torch.float32), entry["label"]
