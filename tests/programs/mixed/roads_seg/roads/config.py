import json
from dataclasses import dataclass, field
from typing import List, Optional


@dataclass
class DataConfig:
    root: str = "data/roads"
    image_size: int = 256
    batch_size: int = 8
    shuffle: int = 512
    workers: Optional[int] = None
    augmentations: List[str] = field(default_factory=lambda: ["flip", "brightness", "noise"])


@dataclass
class Config:
    data: DataConfig = field(default_factory=DataConfig)
    epochs: int = 40
    lr: float = 3e-4

    @classmethod
    def load(cls, path):
        with open(path) as f:
            raw = json.load(f)
        return cls(data=DataConfig(**raw.pop("data", {})), **raw)
