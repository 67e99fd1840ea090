# requires: tensorflow==2.11.*
"""Handwritten letters. Each experiment lists its transforms; the loader applies them in turn."""

import argparse

import numpy as np
import tensorflow as tf

REGISTRY = {}


def transform(fn):
    REGISTRY[fn.__name__] = fn
    return fn


@transform
def scale(image, label):
    return tf.image.convert_image_dtype(image, tf.float32), label


@transform
def invert(image, label):
    return 1.0 - image, label


@transform
def channel(image, label):
    return image[..., tf.newaxis], label


class Loader:
    def __init__(self, path, batch_size, transforms):
        self.arrays = np.load(path)
        self.batch_size = batch_size
        self.transforms = transforms

    def split(self, name):
        images, labels = self.arrays[f"{name}_images"], self.arrays[f"{name}_labels"]
        return tf.data.Dataset.from_tensor_slices((images, labels - 1))

    def train(self):
        ds = self.split("train").shuffle(100_000)
        for fn in self.transforms:
            ds = ds.map(fn, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
        return ds.batch(self.batch_size).prefetch(tf.data.AUTOTUNE)

    def test(self):
        ds = self.split("test").batch(self.batch_size)
        for fn in self.transforms:
            ds = ds.map(fn, num_parallel_calls=tf.data.AUTOTUNE)
        return ds


def build():
    return tf.keras.Sequential([
        tf.keras.layers.Conv2D(32, 3, activation="relu", input_shape=(28, 28, 1)),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Conv2D(64, 3, activation="relu"),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(128, activation="relu"),
        tf.keras.layers.Dense(26),
    ])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="letters.npz")
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()
    loader = Loader(args.data, 256, [scale, invert, channel])
    model = build()
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    model.fit(loader.train(), validation_data=loader.test(), epochs=args.epochs)


if __name__ == "__main__":
    main()
