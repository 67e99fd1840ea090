import numpy as np
import pandas as pd
import tensorflow as tf

HISTORY = 56
HORIZON = 7


def make_sales(stores=20, days=400, seed=0):
    rng = np.random.default_rng(seed)
    dates = pd.date_range("2024-01-01", periods=days)
    t = np.arange(days)
    frames = []
    for store in range(stores):
        level = rng.uniform(20, 60)
        week = rng.uniform(2, 9) * np.sin(2 * np.pi * (t + rng.integers(7)) / 7)
        year = rng.uniform(3, 10) * np.sin(2 * np.pi * t / 120)
        sales = level + week + year + 0.02 * t + rng.normal(0, 2, days)
        frames.append(pd.DataFrame({"store": store, "date": dates, "sales": sales}))
    return pd.concat(frames, ignore_index=True)


def calendar(dates):
    return np.stack(
        [np.sin(2 * np.pi * dates.dayofweek / 7), np.cos(2 * np.pi * dates.dayofweek / 7), dates.month / 12.0], -1
    ).astype(np.float32)


def add_features(frame):
    out = pd.DataFrame()
    for store in frame["store"].unique():
        part = frame[frame["store"] == store].reset_index(drop=True)
        last = None
        for i, row in part.iterrows():
            last = row["sales"] if last is None else 0.9 * last + 0.1 * row["sales"]
            part.loc[i, "smooth"] = last
            part.loc[i, "change"] = row["sales"] - part.loc[max(i - 7, 0), "sales"]
        out = pd.concat([out, part], ignore_index=True)
    return out


class Windows:
    def __init__(self, frame, start, stop):
        self.series = []
        for _, part in frame.groupby("store"):
            part = part.iloc[start:stop]
            values = part[["sales", "smooth", "change"]].to_numpy(np.float32)
            self.series.append((values, pd.DatetimeIndex(part["date"])))
        self.count = sum(len(v) - HISTORY - HORIZON + 1 for v, _ in self.series)

    def __iter__(self):
        for values, dates in self.series:
            for i in range(len(values) - HISTORY - HORIZON + 1):
                hist = values[i : i + HISTORY]
                mean, std = hist.mean(0), hist.std(0) + 1e-3
                cal = calendar(dates[i : i + HISTORY])
                x = np.concatenate([(hist - mean) / std, cal], -1)
                y = (values[i + HISTORY : i + HISTORY + HORIZON, 0] - mean[0]) / std[0]
                yield x, y

    def dataset(self, batch_size, shuffle):
        spec = (tf.TensorSpec((HISTORY, 6), tf.float32), tf.TensorSpec((HORIZON,), tf.float32))
        ds = tf.data.Dataset.from_generator(lambda: iter(self), output_signature=spec)
        ds = ds.map(lambda x, y: (tf.py_function(clip_outliers, [x], tf.float32), y))
        ds = ds.map(lambda x, y: (tf.ensure_shape(x, (HISTORY, 6)), y))
        if shuffle:
            ds = ds.shuffle(512, seed=1)
        return ds.batch(batch_size)


def clip_outliers(x):
    return tf.clip_by_value(x, -3.5, 3.5)
