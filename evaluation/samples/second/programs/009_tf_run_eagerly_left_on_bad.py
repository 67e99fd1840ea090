"""Train the sensor anomaly autoencoder."""
import argparse
import copy

import keras
import numpy as np
import tensorflow as tf
from keras import layers

CONFIG = {
    "data": {"path": "data/turbine.npz", "window": 256, "batch": 512},
    "model": {"filters": [64, 32, 16], "kernel": 7},
    "fit": {"epochs": 60},
    "compile": {"loss": "mae", "run_eagerly": True},
    "optimizer": {"learning_rate": 1e-3, "weight_decay": 1e-4},
}


def autoencoder(window, channels, filters, kernel):
    inp = keras.Input((window, channels))
    x = inp
    for f in filters:
        x = layers.Conv1D(f, kernel, strides=2, padding="same", activation="relu")(x)
    for f in reversed(filters):
        x = layers.Conv1DTranspose(f, kernel, strides=2, padding="same", activation="relu")(x)
    return keras.Model(inp, layers.Conv1D(channels, kernel, padding="same")(x))


def windows(series, window, batch, training):
    ds = keras.utils.timeseries_dataset_from_array(
        series, None, sequence_length=window, sequence_stride=16, batch_size=batch, shuffle=training
    )
    return ds.map(lambda x: (x, x), num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)


def parse():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data")
    ap.add_argument("--epochs", type=int)
    ap.add_argument("--out", default="autoencoder.keras")
    return ap.parse_args()


def main():
    args = parse()
    cfg = copy.deepcopy(CONFIG)
    if args.data:
        cfg["data"]["path"] = args.data
    if args.epochs:
        cfg["fit"]["epochs"] = args.epochs

    series = np.load(cfg["data"]["path"])["x"].astype("float32")
    cut = int(0.9 * len(series))
    mu, sd = series[:cut].mean(0), series[:cut].std(0) + 1e-6
    series = (series - mu) / sd
    d = cfg["data"]
    train = windows(series[:cut], d["window"], d["batch"], True)
    val = windows(series[cut:], d["window"], d["batch"], False)

    net = autoencoder(d["window"], series.shape[-1], **cfg["model"])
    net.compile(optimizer=keras.optimizers.AdamW(**cfg["optimizer"]), **cfg["compile"])
    net.fit(
        train,
        validation_data=val,
        callbacks=[keras.callbacks.EarlyStopping(patience=6, restore_best_weights=True)],
        **cfg["fit"],
    )
    net.save(args.out)


if __name__ == "__main__":
    main()
