from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    classes: tuple = ("water", "forest", "field", "urban", "bare")
    bands: int = 4
    tile: int = 64
    shards: int = 7
    tiles_per_shard: int = 40
    val_shards: int = 3
    epochs: int = 4
    batch_size: int = 4
    accumulate: int = 4
    lr: float = 1.5e-3
    ema_decay: float = 0.7
    base: int = 8
    preview_every: int = 2
    preview_tiles: int = 4
    world_size: int = 2
    seed: int = 23

    @property
    def train_shards(self):
        return self.shards - self.val_shards
