"""Hourly load series of many meters, cut into windows."""
import lightning.pytorch as pl
import numpy as np
import pandas as pd
from torch.utils.data import DataLoader, Dataset

CONTEXT, HORIZON, FEATURES = 72, 12, 5


def synthetic_frame(meters=12, hours=1500, seed=0):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    frames = []
    for m in range(meters):
        load = 3 + np.sin(2 * np.pi * (t + m) / 24) + rng.normal(0, 0.2, hours)
        frames.append(pd.DataFrame({
            "meter": m, "time": pd.date_range("2024-01-01", periods=hours, freq="h"),
            "load": load, "temp": rng.normal(10, 5, hours), "price": rng.gamma(2, 1, hours)}))
    return pd.concat(frames, ignore_index=True)


class WindowDataset(Dataset):
    def __init__(self, frame, n, seed):
        self.frame = frame
        self.rng = np.random.default_rng(seed)
        self.starts = self.rng.integers(0, 1500 - CONTEXT - HORIZON, n)
        self.meters = self.rng.integers(0, frame["meter"].max() + 1, n)

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, i):
        series = self.frame[self.frame["meter"] == self.meters[i]]
        win = series.iloc[self.starts[i]: self.starts[i] + CONTEXT + HORIZON].copy()
        win["hour"] = win["time"].apply(lambda ts: np.sin(2 * np.pi * ts.hour / 24))
        win["weekend"] = win["time"].apply(lambda ts: float(ts.dayofweek >= 5))
        for col in ("load", "temp", "price"):
            win[col] = (win[col] - series[col].mean()) / series[col].std()
        x = win[["load", "temp", "price", "hour", "weekend"]].to_numpy(np.float32)
        return x[:CONTEXT], x[CONTEXT:, 0]


class LoadData(pl.LightningDataModule):
    def __init__(self, n_train=640, n_val=64, batch_size=32):
        super().__init__()
        self.n_train, self.n_val, self.batch_size = n_train, n_val, batch_size

    def setup(self, stage=None):
        frame = synthetic_frame()
        self.train = WindowDataset(frame, self.n_train, 1)
        self.val = WindowDataset(frame, self.n_val, 2)

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=self.batch_size)
