from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    stages: tuple = ("W", "N1", "N2", "N3", "R")
    rate: int = 50
    seconds: int = 30
    recordings: int = 9
    windows: int = 66
    n_val: int = 1
    n_test: int = 2
    epochs: int = 6
    batch: int = 32
    lr: float = 2e-3
    decay: float = 0.8
    low_hz: float = 0.4
    high_hz: float = 20.0
    hum_hz: float = 16.7
    seed: int = 3

    @property
    def length(self):
        return self.rate * self.seconds
