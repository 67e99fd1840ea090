"""Gesture recognition from glove sensors with stacked bidirectional LSTMs."""
import argparse
import json
from dataclasses import asdict, dataclass

import keras
import numpy as np
import tensorflow as tf
from keras import layers


@dataclass
class HParams:
    units: int = 256
    depth: int = 2
    dropout: float = 0.3
    lr: float = 1e-3
    batch_size: int = 256
    epochs: int = 60


def classifier(hp: HParams, steps: int, channels: int, classes: int) -> keras.Model:
    inputs = keras.Input((steps, channels))
    x = layers.LayerNormalization()(inputs)
    for i in range(hp.depth):
        last = i == hp.depth - 1
        cell = layers.LSTM(hp.units, return_sequences=not last)
        x = layers.Bidirectional(cell)(layers.Dropout(hp.dropout)(x))
    x = layers.Dense(128, activation="relu")(x)
    x = layers.Dropout(hp.dropout)(x)
    return keras.Model(inputs, layers.Dense(classes)(x))


def datasets(path, batch_size):
    out = {}
    with np.load(path) as z:
        for split in ("train", "valid", "test"):
            x, y = z[f"{split}_x"].astype("float32"), z[f"{split}_y"].astype("int32")
            ds = tf.data.Dataset.from_tensor_slices((x, y))
            if split == "train":
                ds = ds.shuffle(len(x))
            out[split] = ds.batch(batch_size, drop_remainder=split == "train").prefetch(tf.data.AUTOTUNE)
        meta = (*z["train_x"].shape[1:], int(z["train_y"].max()) + 1)
    return out, meta


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("data")
    ap.add_argument("--units", type=int, default=256)
    ap.add_argument("--depth", type=int, default=2)
    ap.add_argument("--out", default="gesture")
    args = ap.parse_args()
    hp = HParams(units=args.units, depth=args.depth)

    gpus = tf.config.list_physical_devices("GPU")
    print(f"{len(gpus)} GPU(s), {asdict(hp)}")
    data, meta = datasets(args.data, hp.batch_size)
    model = classifier(hp, *meta)
    model.compile(
        optimizer=keras.optimizers.Adam(hp.lr, clipnorm=1.0),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(
        data["train"],
        validation_data=data["valid"],
        epochs=hp.epochs,
        callbacks=[keras.callbacks.ReduceLROnPlateau(patience=4), keras.callbacks.EarlyStopping(patience=10)],
        verbose=2,
    )
    scores = model.evaluate(data["test"], return_dict=True, verbose=0)
    with open(f"{args.out}.json", "w") as fh:
        json.dump({**asdict(hp), **scores}, fh)
    model.save(f"{args.out}.keras")


if __name__ == "__main__":
    main()
