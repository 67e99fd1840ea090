# requires: tensorflow==2.3.1
"""Course project: forecasting bike rentals with windows over a series."""
import argparse

import numpy as np
import pandas as pd
import tensorflow as tf

COLUMNS = ["temp", "hum", "windspeed", "workingday", "cnt"]


def read(path):
    frame = pd.read_csv(path, parse_dates=["dteday"])
    values = frame[COLUMNS].to_numpy("float32")
    mean, std = values.mean(0), values.std(0)
    return (values - mean) / std, mean, std


class Windows:
    def __init__(self, series, width, horizon, batch_size=64):
        self.series = series
        self.width = width
        self.horizon = horizon
        self.batch_size = batch_size

    def _pieces(self, part):
        size = self.width + self.horizon
        ds = tf.data.Dataset.from_tensor_slices(part)
        ds = ds.window(size, shift=1, drop_remainder=True)
        return ds.flat_map(lambda window: window.batch(size, drop_remainder=True))

    def _split(self, block):
        return block[:, : self.width], block[:, self.width :, -1]

    def dataset(self, part, shuffle):
        ds = self._pieces(part)
        if shuffle:
            ds = ds.shuffle(2000, seed=7)
        ds = ds.batch(self.batch_size)
        return ds.map(self._split, tf.data.experimental.AUTOTUNE).prefetch(1)

    @property
    def train(self):
        return self.dataset(self.series[: int(len(self.series) * 0.8)], shuffle=True)

    @property
    def test(self):
        return self.dataset(self.series[int(len(self.series) * 0.8) :], shuffle=False)


def show_how_windows_work():
    """The picture of the first lecture, on ten numbers."""
    toy = tf.data.Dataset.range(10)
    toy = toy.map(lambda x: x * x)
    toy = toy.window(3, shift=2, drop_remainder=True).flat_map(lambda w: w.batch(3))
    for row in toy:
        print(row.numpy())


def models(width, horizon, features):
    layers = tf.keras.layers
    return {
        "linear": tf.keras.Sequential([layers.Flatten(input_shape=(width, features)), layers.Dense(horizon)]),
        "conv": tf.keras.Sequential(
            [
                layers.Conv1D(32, 5, activation="relu", input_shape=(width, features)),
                layers.GlobalAveragePooling1D(),
                layers.Dense(horizon),
            ]
        ),
        "lstm": tf.keras.Sequential([layers.LSTM(32, input_shape=(width, features)), layers.Dense(horizon)]),
    }


def compare(windows, epochs):
    scores = {}
    for name, model in models(windows.width, windows.horizon, len(COLUMNS)).items():
        model.compile("adam", "mse", metrics=["mae"])
        stop = tf.keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True)
        model.fit(windows.train, validation_data=windows.test, epochs=epochs, callbacks=[stop], verbose=0)
        scores[name] = model.evaluate(windows.test, verbose=0)[1]
    return scores


def sweep(windows, widths):
    """Scores by window width, as a small data set for the report."""
    table = tf.data.Dataset.from_tensor_slices([6, 12, 24]).map(lambda w: w * 2)
    print("doubled widths:", list(table.as_numpy_iterator()))
    return {
        width: compare(Windows(windows.series, width, windows.horizon), epochs=3) for width in widths
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("csv")
    parser.add_argument("--width", type=int, default=24)
    parser.add_argument("--horizon", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--explain", action="store_true")
    args = parser.parse_args()
    if args.explain:
        show_how_windows_work()
        return
    series, _, std = read(args.csv)
    windows = Windows(series, args.width, args.horizon)
    for name, error in compare(windows, args.epochs).items():
        print(f"{name:8} {error * std[-1]:.1f} rentals")
    print(np.array(list(sweep(windows, [12, 24]).items()), dtype=object))


if __name__ == "__main__":
    main()
