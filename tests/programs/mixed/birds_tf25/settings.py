from dataclasses import dataclass, field
from typing import Tuple


@dataclass(frozen=True)
class Settings:
    root: str = "birds"
    side: int = 224
    batch: int = 32
    epochs: int = 25
    classes: int = 200
    crop: Tuple[int, int] = field(default=(196, 196))
    seed: int = 7
