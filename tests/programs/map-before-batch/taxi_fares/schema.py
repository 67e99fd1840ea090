"""Columns of the yellow-cab export and what the model makes of them."""

from dataclasses import dataclass, field

COLUMNS = [
    "fare_amount",
    "pickup_weekday",
    "pickup_hour",
    "pickup_lon",
    "pickup_lat",
    "dropoff_lon",
    "dropoff_lat",
    "passengers",
    "vendor",
]
DEFAULTS = [[0.0], [0], [0], [-73.98], [40.75], [-73.98], [40.75], [1.0], ["CMT"]]
LABEL = "fare_amount"
VENDORS = ["CMT", "VTS", "DDS"]


@dataclass(frozen=True)
class RunConfig:
    train_pattern: str = "data/train-*.csv"
    eval_pattern: str = "data/valid-*.csv"
    batch_size: int = 1024
    epochs: int = 5
    learning_rate: float = 3e-3
    hidden: list = field(default_factory=lambda: [64, 32])
    logdir: str = "logs/fares"
