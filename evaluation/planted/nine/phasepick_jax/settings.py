from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    n_train: int = 160
    n_val: int = 24
    shortest: int = 96
    longest: int = 160
    packet: int = 16
    stations: int = 12000
    width: int = 32
    embed: int = 96
    refine_steps: int = 8
    batch: int = 16
    epochs: int = 4
    lr: float = 3e-3
    decay: float = 0.85
    pick_width: float = 3.0
    noise: float = 0.15
    checkpoint_every: int = 2
    average_from: int = 20
    seed: int = 17
