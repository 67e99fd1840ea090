"""Sliding windows over sensor readings, forecasting with an LSTM."""
import dataclasses
import typing as t

import numpy as np
import tensorflow as tf


@dataclasses.dataclass
class Windows:
    width: int
    horizon: int
    mean: np.ndarray
    std: np.ndarray
    batch: int = 256
    stages: t.List[t.Callable] = dataclasses.field(default_factory=list)

    def split(self, window):
        return window[: self.width], window[self.width :, 0]

    def centre(self, x, y):
        return (x - self.mean) / self.std, y

    def __call__(self, series):
        ds = tf.data.Dataset.from_tensor_slices(series.astype("float32"))
        ds = ds.window(self.width + self.horizon, shift=1, drop_remainder=True)
        ds = ds.flat_map(lambda w: w.batch(self.width + self.horizon))
        ds = ds.map(self.split, num_parallel_calls=tf.data.AUTOTUNE)
        ds = ds.map(self.centre, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
        return ds.batch(self.batch).prefetch(tf.data.AUTOTUNE)

    def flipped(self, series):
        ds = tf.keras.preprocessing.timeseries_dataset_from_array(series, None, self.width)
        ds = ds.map(lambda x: tf.reverse(x, [1]), num_parallel_calls=tf.data.AUTOTUNE)
        return ds


class Jitter:
    def __init__(self, sigma):
        self.sigma = sigma

    def __call__(self, x, y):
        return x + tf.random.normal(tf.shape(x), stddev=self.sigma), y


def log_price(x, y):
    return tf.math.log1p(tf.nn.relu(x)), tf.math.log1p(y)


def build(windows, series, sigma):
    ds = tf.data.Dataset.from_tensor_slices((series[:-1], series[1:]))
    options = tf.data.Options()
    options.experimental_optimization.map_parallelization = True
    ds = ds.map(log_price)  # finding: map-before-batch
    ds = ds.batch(windows.batch).with_options(options)
    return ds.map(Jitter(sigma), num_parallel_calls=4)


def plain(series, batch, repeat=10):
    dataset = tf.data.Dataset.from_tensor_slices((series[:-1], series[1:])).repeat(repeat)
    dataset = dataset.map(log_price)  # finding: serial-map, map-before-batch
    dataset = dataset.batch(batch)
    for x, y in dataset:
        yield x, y


def main(path):
    series = np.load(path)
    windows = Windows(48, 6, series.mean(0), series.std(0))
    model = tf.keras.Sequential([tf.keras.layers.LSTM(64), tf.keras.layers.Dense(6)])
    model.compile("adam", "mae")
    model.fit(windows(series), epochs=10)
    other = tf.keras.Sequential([tf.keras.layers.Dense(64, "relu"), tf.keras.layers.Dense(series.shape[1])])
    other.compile("adam", "mse")
    other.fit(build(windows, series, 0.01), epochs=3)
    for x, y in plain(series, 512):
        other.train_on_batch(x, y)


if __name__ == "__main__":
    main("sensors.npy")
