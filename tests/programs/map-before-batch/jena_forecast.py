# requires: tensorflow==2.10.0
"""Forecast the temperature in Jena from ten-minute records of the weather."""

import os
from typing import Tuple

import numpy as np
import pandas as pd
import tensorflow as tf


def load(path: str) -> pd.DataFrame:
    frame = pd.read_csv(path)
    frame["wv (m/s)"] = frame["wv (m/s)"].map(lambda speed: max(speed, 0.0))
    time = pd.to_datetime(frame.pop("Date Time"), format="%d.%m.%Y %H:%M:%S")
    seconds = time.map(pd.Timestamp.timestamp)
    day = 24 * 60 * 60
    frame["day sin"] = np.sin(seconds * (2 * np.pi / day))
    frame["day cos"] = np.cos(seconds * (2 * np.pi / day))
    return frame


class Windows:
    """Windows of a series, as pairs of past and future.

    Parameters
    ----------
    values : array of shape (time, feature)
    width : length of the past
    shift : length of the future
    """

    def __init__(self, values: np.ndarray, width: int, shift: int, target: int, batch: int = 64):
        self.values = values.astype(np.float32)
        self.width = width
        self.shift = shift
        self.target = target
        self.batch = batch
        border = int(len(values) * 0.8)
        self.mean = self.values[:border].mean(axis=0)
        self.std = self.values[:border].std(axis=0)
        self.border = border

    def cut(self, window):
        past = window[: self.width]
        future = window[self.width :, self.target]
        past.set_shape([self.width, None])
        return past, future

    def standardize(self, past, future):
        past = (past - self.mean) / self.std
        future = (future - self.mean[self.target]) / self.std[self.target]
        return past, future

    def differences(self, past, future):
        return past[1:] - past[:-1], future

    def windows(self, values) -> tf.data.Dataset:
        rows = tf.data.Dataset.from_tensor_slices(values)
        total = self.width + self.shift
        windows = rows.window(total, shift=1, drop_remainder=True)
        return windows.flat_map(lambda window: window.batch(total, drop_remainder=True))

    def pairs(self, values) -> tf.data.Dataset:
        return self.windows(values).map(self.cut)

    @property
    def train(self) -> tf.data.Dataset:
        pairs = self.pairs(self.values[: self.border]).shuffle(20_000)
        ready = pairs.map(self.standardize)  # finding: map-before-batch
        return ready.batch(self.batch).prefetch(tf.data.AUTOTUNE)

    @property
    def test(self) -> tf.data.Dataset:
        batches = self.pairs(self.values[self.border :]).batch(self.batch)
        return batches.map(self.standardize).prefetch(tf.data.AUTOTUNE)

    @property
    def changes(self) -> tf.data.Dataset:
        pairs = self.pairs(self.values[: self.border]).map(self.differences)
        return pairs.batch(self.batch)

    def denormalized(self, prediction: np.ndarray) -> np.ndarray:
        return prediction * self.std[self.target] + self.mean[self.target]


def make_model(shift: int) -> tf.keras.Model:
    return tf.keras.Sequential(
        [
            tf.keras.layers.LSTM(64, return_sequences=True),
            tf.keras.layers.LSTM(32),
            tf.keras.layers.Dense(shift),
        ]
    )


def compile_and_fit(model: tf.keras.Model, data: Tuple, patience: int = 2):
    stop = tf.keras.callbacks.EarlyStopping(patience=patience, restore_best_weights=True)
    model.compile(tf.keras.optimizers.Adam(1e-3), "mse", ["mae"])
    train, test = data
    return model.fit(train, validation_data=test, epochs=20, callbacks=[stop])


def main() -> None:
    frame = load(os.environ.get("JENA", "jena_climate_2009_2016.csv"))
    target = list(frame.columns).index("T (degC)")
    windows = Windows(frame.to_numpy(), width=144, shift=24, target=target)
    model = make_model(windows.shift)
    history = compile_and_fit(model, (windows.train, windows.test))
    print(min(history.history["val_mae"]))
    on_changes = make_model(windows.shift)
    compile_and_fit(on_changes, (windows.changes, windows.changes.take(50)))
    for past, future in windows.test.take(1):
        guess = windows.denormalized(model.predict(past))
        truth = windows.denormalized(future.numpy())
        print("mean error in degrees", np.abs(guess - truth).mean())


if __name__ == "__main__":
    main()
