"""Speech command tagging on precomputed log-mel frames."""
import argparse
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers

HPARAMS = {
    "frames": 400,
    "mels": 80,
    "rnn": {"units": 384, "dropout": 0.2},
    "depth": 3,
    "batch": 128,
    "epochs": 40,
    "lr": 6e-4,
}


def recurrent_stack(x, depth, **kw):
    for i in range(depth):
        last = i == depth - 1
        x = layers.Bidirectional(
            layers.GRU(return_sequences=not last, name=f"gru_{i}", **kw)
        )(x)
        x = layers.LayerNormalization()(x)
    return x


def build(hp, n_classes):
    inp = keras.Input((hp["frames"], hp["mels"]))
    x = layers.Conv1D(256, 5, strides=2, padding="same", activation="relu")(inp)
    x = recurrent_stack(x, hp["depth"], **hp["rnn"])
    x = layers.Dropout(0.3)(x)
    return keras.Model(inp, layers.Dense(n_classes, dtype="float32")(x))


def pipeline(path, hp, training):
    blob = np.load(path)
    ds = tf.data.Dataset.from_tensor_slices((blob["mel"], blob["label"]))
    if training:
        ds = ds.shuffle(len(blob["label"]))
    return ds.batch(hp["batch"], drop_remainder=training).prefetch(tf.data.AUTOTUNE)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--root", type=Path, default=Path("features"))
    ap.add_argument("--classes", type=int, default=35)
    ap.add_argument("--out", default="commands.keras")
    args = ap.parse_args()

    keras.mixed_precision.set_global_policy("mixed_float16")
    train = pipeline(args.root / "train.npz", HPARAMS, True)
    val = pipeline(args.root / "val.npz", HPARAMS, False)
    net = build(HPARAMS, args.classes)
    net.compile(
        optimizer=keras.optimizers.AdamW(HPARAMS["lr"]),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    net.fit(train, validation_data=val, epochs=HPARAMS["epochs"])
    net.save(args.out)


if __name__ == "__main__":
    main()
