# requires: tensorflow==2.4
from dataclasses import dataclass, field
from typing import List


@dataclass
class Settings:
    train_glob: str = "/data/eyepacs/train-*.tfrec"
    valid_glob: str = "/data/eyepacs/valid-*.tfrec"
    side: int = 512
    batch_size: int = 24
    epochs: int = 30
    threads: int = 12
    class_names: List[str] = field(default_factory=lambda: ["none", "mild", "moderate", "severe", "pdr"])
    smoke: bool = False
