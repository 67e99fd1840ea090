import dataclasses


@dataclasses.dataclass
class Settings:
    csv: str = "hour.csv"
    batch_size: int = 2048
    shuffle: int = 20_000
    hidden: tuple = (256, 128)
    lr: float = 1e-3
    epochs: int = 40


COLUMNS = ["season", "hour", "holiday", "workday", "weather", "temp", "humidity", "wind", "count"]
