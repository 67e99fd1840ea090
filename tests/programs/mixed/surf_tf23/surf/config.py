from dataclasses import dataclass, field
from typing import List


@dataclass
class Config:
    """All that a run depends on."""

    shards: str = "gs://surf/buoys-*.tfrecord"
    window: int = 96
    horizon: int = 12
    batch_size: int = 256
    epochs: int = 40
    transforms: List[str] = field(default_factory=lambda: ["standardize", "split"])
    units: int = 128
