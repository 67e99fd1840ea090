"""Galaxy morphology regression from 256 px cut-outs."""
import argparse
from dataclasses import dataclass

import keras
import numpy as np
import tensorflow as tf
from keras import layers


@dataclass
class Arch:
    side: int = 256
    filters: tuple = (32, 64)
    kernel: int = 5
    hidden: int = 512
    answers: int = 37
    rate: float = 0.5


def conv_unit(x, filters, kernel):
    x = layers.Conv2D(filters, kernel, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.Activation("relu")(x)


def head(x, arch):
    x = layers.Flatten()(x)
    x = layers.Dense(arch.hidden, activation="relu")(x)
    x = layers.Dropout(arch.rate)(x)
    return layers.Dense(arch.answers, activation="sigmoid", dtype="float32")(x)


def build(arch):
    inp = keras.Input((arch.side, arch.side, 3))
    x = layers.Rescaling(1 / 255.0)(inp)
    for i, f in enumerate(arch.filters):
        x = conv_unit(x, f, arch.kernel)
        if i == 0:
            x = layers.MaxPooling2D()(x)
    return keras.Model(inp, head(x, arch))


def cutouts(table, root, arch, batch, training):
    ids, votes = table["id"], table["votes"].astype("float32")
    ds = tf.data.Dataset.from_tensor_slices(([f"{root}/{i}.jpg" for i in ids], votes))
    if training:
        ds = ds.shuffle(len(ids))

    def read(path, y):
        img = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        img = tf.image.central_crop(img, 0.6)
        return tf.image.resize(img, (arch.side, arch.side)), y

    return ds.map(read, num_parallel_calls=tf.data.AUTOTUNE).batch(batch).prefetch(tf.data.AUTOTUNE)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--root", default="/data/galaxyzoo")
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--epochs", type=int, default=30)
    args = ap.parse_args()
    arch = Arch()
    keras.mixed_precision.set_global_policy("mixed_float16")
    train, val = (np.load(f"{args.root}/{s}.npz") for s in ("train", "val"))
    net = build(arch)
    net.summary()
    net.compile("adam", "mse", metrics=[keras.metrics.RootMeanSquaredError()])
    net.fit(
        cutouts(train, args.root, arch, args.batch, True),
        validation_data=cutouts(val, args.root, arch, args.batch, False),
        epochs=args.epochs,
        callbacks=[keras.callbacks.EarlyStopping(patience=4, restore_best_weights=True)],
    )
    net.save("galaxy.keras")


if __name__ == "__main__":
    main()
