"""Endless batches of satellite patches."""

import numpy as np


class PatchSource:
    def __init__(self, patches, seed):
        rng = np.random.default_rng(seed)
        self.pixels = rng.random((patches, 8, 8, 4), dtype=np.float32)
        self.water = (self.pixels[..., 3].mean(axis=(1, 2)) > 0.5).astype("float32")

    @property
    def size(self):
        return self.pixels.shape[0]

    def batches(self, batch_size):
        rng = np.random.default_rng(0)
        while True:
            chosen = rng.integers(0, self.size, batch_size)
            yield self.pixels[chosen], self.water[chosen]
