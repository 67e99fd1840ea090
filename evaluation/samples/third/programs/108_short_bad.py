"""Forecast the load of a district heating network, 24 hours ahead from the last week.

Input CSV (hourly): time,load_mw,temp_c,wind_ms,holiday
"""
import argparse
import os
import random

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow.keras import layers

HISTORY, HORIZON = 168, 24
COLUMNS = ["load_mw", "temp_c", "wind_ms", "holiday", "hour_sin", "hour_cos"]


def set_up(seed):
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)
    tf.debugging.set_log_device_placement(True)
    tf.debugging.enable_check_numerics()
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)


def read_hours(path):
    hours = pd.read_csv(path, parse_dates=["time"]).set_index("time").sort_index()
    hours = hours.asfreq("h").interpolate(limit=6).dropna()
    angle = 2 * np.pi * hours.index.hour / 24
    hours["hour_sin"], hours["hour_cos"] = np.sin(angle), np.cos(angle)
    return hours[COLUMNS].to_numpy(np.float32)


def windows(values, batch, training):
    history = values[:-HORIZON]
    ahead = values[HISTORY:, 0]
    targets = np.lib.stride_tricks.sliding_window_view(ahead, HORIZON)
    return tf.keras.utils.timeseries_dataset_from_array(
        history, targets, sequence_length=HISTORY, batch_size=batch, shuffle=training, seed=1
    ).prefetch(tf.data.AUTOTUNE)


def residual_block(x, filters, dilation):
    y = layers.Conv1D(filters, 3, padding="causal", dilation_rate=dilation, activation="relu")(x)
    y = layers.Dropout(0.1)(y)
    y = layers.Conv1D(filters, 3, padding="causal", dilation_rate=dilation)(y)
    if x.shape[-1] != filters:
        x = layers.Conv1D(filters, 1)(x)
    return layers.ReLU()(layers.Add()([x, y]))


def build(normaliser, filters=64):
    inputs = tf.keras.Input((HISTORY, len(COLUMNS)))
    x = normaliser(inputs)
    for dilation in (1, 2, 4, 8, 16, 32):
        x = residual_block(x, filters, dilation)
    x = layers.Dense(128, activation="relu")(x[:, -1])
    return tf.keras.Model(inputs, layers.Dense(HORIZON)(x))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("csv")
    p.add_argument("--epochs", type=int, default=50)
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--seed", type=int, default=2024)
    p.add_argument("--out", default="runs/heat")
    args = p.parse_args()

    set_up(args.seed)
    values = read_hours(args.csv)
    cut = int(len(values) * 0.85)
    normaliser = layers.Normalization()
    normaliser.adapt(values[:cut])

    model = build(normaliser)
    model.compile(tf.keras.optimizers.Adam(1e-3), loss=tf.keras.losses.Huber(), metrics=["mae"])
    os.makedirs(args.out, exist_ok=True)
    model.fit(
        windows(values[:cut], args.batch, training=True),
        validation_data=windows(values[cut:], args.batch, training=False),
        epochs=args.epochs,
        callbacks=[
            tf.keras.callbacks.EarlyStopping(patience=6, restore_best_weights=True),
            tf.keras.callbacks.CSVLogger(os.path.join(args.out, "history.csv")),
        ],
        verbose=2,
    )
    model.save(os.path.join(args.out, "model.keras"))


if __name__ == "__main__":
    main()
