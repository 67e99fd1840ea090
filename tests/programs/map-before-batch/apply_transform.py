# requires: tensorflow==2.16.*
"""Electricity load, one row per quarter of an hour; transforms are functions of datasets."""
import numpy as np
import pandas as pd
import tensorflow as tf
from keras import Model, layers, metrics, optimizers

COLUMNS = ["load", "temperature", "wind", "holiday"]


def with_calendar(ds):
    """Adds sine and cosine of the hour and of the day of the year."""

    def add(row, target):
        hour = row["hour"] / 24.0 * 2 * np.pi
        day = row["day"] / 365.25 * 2 * np.pi
        row = dict(row)
        row["hour_sin"], row["hour_cos"] = tf.sin(hour), tf.cos(hour)
        row["day_sin"], row["day_cos"] = tf.sin(day), tf.cos(day)
        return row, target

    return ds.map(add, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch


def log_target(ds):
    return ds.map(lambda row, target: (row, tf.math.log1p(target)), num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch


def read(path):
    frame = pd.read_csv(path, parse_dates=["time"])
    frame["hour"] = frame.time.dt.hour.astype("float32")
    frame["day"] = frame.time.dt.dayofyear.astype("float32")
    target = frame.pop("next_load").astype("float32")
    frame = frame[COLUMNS + ["hour", "day"]].astype("float32")
    return tf.data.Dataset.from_tensor_slices((dict(frame), target))


def dataset(path, training):
    ds = read(path).apply(with_calendar).apply(log_target)
    if training:
        ds = ds.shuffle(50_000)
    return ds.batch(512).prefetch(tf.data.AUTOTUNE)


def build():
    names = COLUMNS + ["hour_sin", "hour_cos", "day_sin", "day_cos"]
    inputs = {name: layers.Input((1,), name=name) for name in names}
    x = layers.Concatenate()(list(inputs.values()))
    for units in (128, 64):
        x = layers.Dense(units, activation="gelu")(x)
        x = layers.LayerNormalization()(x)
    return Model(inputs, layers.Dense(1)(x))


def main():
    model = build()
    model.compile(optimizers.AdamW(1e-3), "huber", metrics=[metrics.MeanAbsoluteError()])
    model.fit(dataset("train.csv", True), validation_data=dataset("valid.csv", False), epochs=25)
    model.save("load.keras")


if __name__ == "__main__":
    main()
