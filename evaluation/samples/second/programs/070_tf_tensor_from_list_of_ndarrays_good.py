"""Patch classifier for whole-slide tiles."""
import argparse
import csv
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
import tifffile


class Cutter:
    def __init__(self, size, stride, min_tissue=0.4):
        self.size, self.stride, self.min_tissue = size, stride, min_tissue

    def tissue(self, patch):
        return float((patch.mean(-1) < 215).mean())

    def cut(self, slide):
        s = self.size
        h, w = slide.shape[:2]
        for top in range(0, h - s + 1, self.stride):
            for left in range(0, w - s + 1, self.stride):
                patch = slide[top : top + s, left : left + s]
                if self.tissue(patch) >= self.min_tissue:
                    yield patch.astype("float32") / 255.0


def collect(table, root, cutter):
    patches, grades = [], []
    with open(table, newline="") as fh:
        for row in csv.DictReader(fh):
            slide = tifffile.imread(root / row["file"])
            found = list(cutter.cut(slide))
            patches += found
            grades += [int(row["grade"])] * len(found)
    return np.stack(patches), np.array(grades)


def dataset(patches, grades, batch, seed=None):
    ds = tf.data.Dataset.from_tensor_slices((patches, grades))
    if seed is not None:
        ds = ds.shuffle(len(grades), seed=seed)
    return ds.batch(batch).prefetch(tf.data.AUTOTUNE)


def network(size, n):
    inp = keras.Input((size, size, 3))
    x = inp
    for width in (32, 64, 128, 256):
        x = keras.layers.SeparableConv2D(width, 3, padding="same", activation="relu")(x)
        x = keras.layers.MaxPooling2D()(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inp, keras.layers.Dense(n, activation="softmax")(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root", type=Path)
    ap.add_argument("--size", type=int, default=96)
    ap.add_argument("--stride", type=int, default=96)
    ap.add_argument("--epochs", type=int, default=40)
    args = ap.parse_args()
    cutter = Cutter(args.size, args.stride)
    train = dataset(*collect(args.root / "train.csv", args.root, cutter), 128, seed=5)
    val = dataset(*collect(args.root / "val.csv", args.root, cutter), 256)
    net = network(args.size, 5)
    net.compile("adamw", "sparse_categorical_crossentropy", metrics=["accuracy"])
    net.fit(train, validation_data=val, epochs=args.epochs, callbacks=[keras.callbacks.EarlyStopping(patience=5)])
    net.save("grades.keras")


if __name__ == "__main__":
    main()
