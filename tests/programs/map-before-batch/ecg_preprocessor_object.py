# requires: tensorflow==2.13.*
"""Arrhythmia from single heart beats; preprocessing is an object, splitting a function."""
import argparse
from typing import Tuple

import numpy as np
import tensorflow as tf

LENGTH = 187


class Preprocessor:
    """Scales a beat with numbers of the training set and adds the channel."""

    def __init__(self, mean: float, std: float, classes: int) -> None:
        self.mean = mean
        self.std = std
        self.classes = classes

    @classmethod
    def fitted(cls, x: np.ndarray, y: np.ndarray) -> "Preprocessor":
        return cls(float(x.mean()), float(x.std()), int(y.max()) + 1)

    def __call__(self, beat: tf.Tensor, label: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        beat = (tf.cast(beat, tf.float32) - self.mean) / self.std
        return beat[..., tf.newaxis], tf.one_hot(label, self.classes)


def read(path: str) -> Tuple[np.ndarray, np.ndarray]:
    table = np.loadtxt(path, delimiter=",", dtype=np.float32)
    return table[:, :LENGTH], table[:, LENGTH].astype(np.int32)


def finalize(ds: tf.data.Dataset, batch_size: int, training: bool) -> tf.data.Dataset:
    if training:
        ds = ds.shuffle(10_000).repeat()
    return ds.batch(batch_size, drop_remainder=training).prefetch(tf.data.AUTOTUNE)


def make_datasets(args: argparse.Namespace):
    x, y = read(args.train)
    preprocess = Preprocessor.fitted(x, y)
    train = tf.data.Dataset.from_tensor_slices((x, y))
    train = train.map(preprocess, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    valid = tf.data.Dataset.from_tensor_slices(read(args.valid))
    valid = finalize(valid, 1024, False).map(preprocess, num_parallel_calls=tf.data.AUTOTUNE)
    return finalize(train, args.batch_size, True), valid, preprocess.classes


def residual(x, width):
    skip = x
    x = tf.keras.layers.Conv1D(width, 5, padding="same", activation="relu")(x)
    x = tf.keras.layers.Conv1D(width, 5, padding="same")(x)
    return tf.keras.layers.MaxPooling1D(5, 2)(tf.keras.layers.ReLU()(x + skip))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("train")
    parser.add_argument("valid")
    parser.add_argument("--batch-size", type=int, default=256)
    args = parser.parse_args()
    train, valid, classes = make_datasets(args)
    inputs = tf.keras.Input((LENGTH, 1))
    x = tf.keras.layers.Conv1D(32, 5, padding="same")(inputs)
    for _ in range(5):
        x = residual(x, 32)
    x = tf.keras.layers.Dense(32, activation="relu")(tf.keras.layers.Flatten()(x))
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(classes, activation="softmax")(x))
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    model.fit(train, steps_per_epoch=340, epochs=75, validation_data=valid)


if __name__ == "__main__":
    main()
