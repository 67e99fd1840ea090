import numpy as np
import pandas as pd
import tensorflow as tf

from features import calendar, instance_norm, split_window

ROW_COLUMNS = ["minute_of_day", "day_of_year", "temperature", "humidity", "station"]


class TabularSource:
    """70M rows, one per (station, quarter hour)."""

    def __init__(self, parquet, batch_size=4096, seed=0):
        self.frame = pd.read_parquet(parquet)
        self.batch_size, self.seed = batch_size, seed

    def dataset(self, training):
        cols = {c: self.frame[c].to_numpy() for c in ROW_COLUMNS}
        ds = tf.data.Dataset.from_tensor_slices((cols, self.frame["mw"].to_numpy("float32")))
        ds = ds.map(calendar, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
        if training:
            ds = ds.shuffle(100_000, seed=self.seed)
        ds = ds.batch(self.batch_size)
        return ds.prefetch(tf.data.AUTOTUNE)


class WindowSource:
    def __init__(self, npy, history=672, batch_size=128):
        self.array = np.load(npy, mmap_mode="r")
        self.history, self.batch_size = history, batch_size

    def dataset(self, training):
        series = tf.data.Dataset.from_tensor_slices(self.array)
        span = self.history + 96
        wins = series.window(span, shift=4, drop_remainder=True).flat_map(lambda w: w.batch(span, drop_remainder=True))
        if training:
            wins = wins.shuffle(5000)
        wins = wins.map(split_window, num_parallel_calls=tf.data.AUTOTUNE)
        wins = wins.map(instance_norm, num_parallel_calls=tf.data.AUTOTUNE)
        return wins.batch(self.batch_size).prefetch(tf.data.AUTOTUNE)
