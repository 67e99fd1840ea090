"""Leaf disease classifier (Keras 3). Photos are read from disk as they come from the phones.

labels.csv: file,disease,split  -  e.g.  plots/2024-06/IMG_0412.jpg,rust,train
"""
import argparse
import csv
import math
import os

import keras
import numpy as np
from PIL import Image, ImageOps


class LeafPhotos(keras.utils.PyDataset):
    """Batches of photos, read and cropped to a square when they are asked for."""

    def __init__(self, root, rows, classes, size, batch_size, **kwargs):
        super().__init__(**kwargs)
        self.root = root
        self.files = [row["file"] for row in rows]
        self.targets = np.array([classes.index(row["disease"]) for row in rows], dtype="int32")
        self.size = size
        self.batch_size = batch_size

    def __len__(self):
        return math.ceil(len(self.files) / self.batch_size)

    def _photo(self, name):
        with Image.open(os.path.join(self.root, name)) as image:
            upright = ImageOps.exif_transpose(image).convert("RGB")
            return np.asarray(ImageOps.fit(upright, (self.size, self.size), Image.Resampling.BICUBIC))

    def __getitem__(self, index):
        span = slice(index * self.batch_size, (index + 1) * self.batch_size)
        photos = np.stack([self._photo(name) for name in self.files[span]])
        return photos, self.targets[span]


def build(classes, size):
    photo = keras.Input((size, size, 3), dtype="uint8")
    x = keras.layers.Rescaling(1.0 / 127.5, offset=-1.0)(photo)
    x = keras.layers.RandomFlip("horizontal")(x)
    x = keras.layers.RandomRotation(0.08)(x)
    for filters in (32, 64, 128, 256):
        x = keras.layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = keras.layers.BatchNormalization()(x)
        x = keras.layers.Activation("relu")(x)
        x = keras.layers.MaxPooling2D()(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    x = keras.layers.Dropout(0.25)(x)
    out = keras.layers.Dense(len(classes), activation="softmax", dtype="float32")(x)
    return keras.Model(photo, out)


def read_labels(path):
    with open(path, newline="", encoding="utf-8") as fh:
        rows = list(csv.DictReader(fh))
    classes = sorted({row["disease"] for row in rows})
    return rows, classes


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--labels", default="labels.csv")
    ap.add_argument("--size", type=int, default=320)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--workers", type=int, default=8)
    ap.add_argument("--out", default="leaf.keras")
    args = ap.parse_args()

    keras.utils.set_random_seed(5)
    rows, classes = read_labels(os.path.join(args.root, args.labels))
    loading = {"workers": args.workers, "use_multiprocessing": True, "max_queue_size": 2 * args.workers}
    train = LeafPhotos(
        args.root, [r for r in rows if r["split"] == "train"], classes, args.size, args.batch_size, **loading
    )
    valid = LeafPhotos(
        args.root, [r for r in rows if r["split"] == "valid"], classes, args.size, args.batch_size, **loading
    )

    model = build(classes, args.size)
    model.compile(
        optimizer=keras.optimizers.AdamW(1e-3, weight_decay=1e-4),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    model.fit(
        train,
        validation_data=valid,
        epochs=args.epochs,
        callbacks=[
            keras.callbacks.ReduceLROnPlateau("val_loss", factor=0.3, patience=2),
            keras.callbacks.ModelCheckpoint(args.out, "val_accuracy", save_best_only=True),
        ],
    )


if __name__ == "__main__":
    main()
