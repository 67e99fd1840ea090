"""What a run of tidewatch may be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

STATIONS = ("arlen", "brook", "crane", "delta")


@dataclass(frozen=True)
class Settings:
    data: Path
    window: int = 168
    batch_size: int = 32
    epochs: int = 3
    learning_rate: float = 1e-2
    jitter: float = 0.01
    seed: int = 7
