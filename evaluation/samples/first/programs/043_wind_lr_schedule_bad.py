"""Wind power forecasting with temporal convolutions and warm restarts."""
import argparse
import math

import keras
import numpy as np
import tensorflow as tf
from keras import layers


class Restarts:
    def __init__(self, base_lr, period, warmup=3):
        self.base_lr = base_lr
        self.period = period
        self.warmup = warmup

    def __call__(self, epoch, lr=None):
        if epoch < self.warmup:
            return self.base_lr * (epoch + 1) / self.warmup
        t = ((epoch - self.warmup) % self.period) / self.period
        return 0.5 * self.base_lr * (1 + math.cos(math.pi * t))


def tcn(steps, features, horizon, filters=96, levels=6):
    inp = keras.Input((steps, features))
    x = layers.Conv1D(filters, 1)(inp)
    for level in range(levels):
        h = layers.Conv1D(filters, 3, padding="causal", dilation_rate=2**level, activation="relu")(x)
        h = layers.Dropout(0.1)(layers.LayerNormalization()(h))
        x = layers.add([x, layers.Conv1D(filters, 1)(h)])
    return keras.Model(inp, layers.Dense(horizon)(x[:, -1]))


def split(path, steps, horizon, batch_size):
    series = np.load(path).astype("float32")
    cut = int(0.9 * len(series))
    mean, std = series[:cut].mean(0), series[:cut].std(0)
    series = (series - mean) / std

    def windows(part, shuffle):
        ds = keras.utils.timeseries_dataset_from_array(
            part, None, steps + horizon, batch_size=batch_size, shuffle=shuffle
        )
        cutter = lambda w: (w[:, :steps], w[:, steps:, 0])
        return ds.map(cutter, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)

    return windows(series[:cut], True), windows(series[cut:], False), series.shape[1]


def fit(model, train, valid, schedule, epochs):
    history = []
    for epoch in range(epochs):
        optimizer = keras.optimizers.Adam(schedule(epoch))
        model.compile(optimizer=optimizer, loss="huber", metrics=["mae"])
        h = model.fit(train, validation_data=valid, epochs=1, verbose=2)
        history.append(h.history["val_mae"][-1])
    return history


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("series")
    ap.add_argument("--steps", type=int, default=144)
    ap.add_argument("--horizon", type=int, default=36)
    ap.add_argument("--batch-size", type=int, default=512)
    ap.add_argument("--epochs", type=int, default=90)
    ap.add_argument("--lr", type=float, default=2e-3)
    args = ap.parse_args()
    train, valid, features = split(args.series, args.steps, args.horizon, args.batch_size)
    model = tcn(args.steps, features, args.horizon)
    scores = fit(model, train, valid, Restarts(args.lr, period=15), args.epochs)
    print(f"best validation MAE {min(scores):.4f}")
    model.save("wind_tcn.keras")


if __name__ == "__main__":
    main()
