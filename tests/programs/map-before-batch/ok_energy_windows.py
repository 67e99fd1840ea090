# requires: tensorflow==2.12.*
"""Energy demand: windows of a long series."""
import numpy as np
import pandas as pd
import tensorflow as tf


class Windows:
    def __init__(self, past=168, future=24, batch=256):
        self.past, self.future, self.batch = past, future, batch

    def split(self, window):
        x, y = window[: self.past], window[self.past:, 0]
        return x, y

    def detrend(self, x, y):
        mean = tf.reduce_mean(x[:, 0])
        first = x[:, :1] - mean
        return tf.concat([first, x[:, 1:]], axis=1), y - mean

    def __call__(self, table, shuffle=False):
        values = tf.constant(table.values, tf.float32)
        ds = tf.data.Dataset.from_tensor_slices(values)
        length = self.past + self.future
        ds = ds.window(length, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(length))
        if shuffle:
            ds = ds.shuffle(10000, seed=0)
        ds = ds.map(self.split, num_parallel_calls=tf.data.AUTOTUNE)
        ds = ds.map(self.detrend, num_parallel_calls=tf.data.AUTOTUNE)
        return ds.batch(self.batch).prefetch(tf.data.AUTOTUNE)


def features(frame):
    hour = frame.index.hour / 24 * 2 * np.pi
    day = frame.index.dayofyear / 365 * 2 * np.pi
    frame = frame.assign(hs=np.sin(hour), hc=np.cos(hour), ds=np.sin(day), dc=np.cos(day))
    return frame[["load", "temperature", "hs", "hc", "ds", "dc"]]


def model(n):
    return tf.keras.Sequential(
        [
            tf.keras.layers.LSTM(128, return_sequences=True, input_shape=(None, n)),
            tf.keras.layers.LSTM(64),
            tf.keras.layers.Dense(24),
        ]
    )


def main():
    frame = features(pd.read_csv("load.csv", parse_dates=["time"], index_col="time"))
    cut = int(0.8 * len(frame))
    mean, std = frame[:cut].mean(), frame[:cut].std()
    frame = (frame - mean) / std
    windows = Windows()
    net = model(frame.shape[1])
    net.compile("adam", "mae")
    net.fit(windows(frame[:cut], shuffle=True), validation_data=windows(frame[cut:]), epochs=15)
    net.save("load.keras")


if __name__ == "__main__":
    main()
