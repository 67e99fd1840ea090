#!/usr/bin/env python
"""Fashion articles: a small network, trained twice."""
import argparse
import functools

import numpy as np
import tensorflow as tf

AUTO = tf.data.AUTOTUNE


def scale(image, label):
    return tf.cast(image, tf.float32) / 255.0, label


def standardize(image, label, mean, deviation):
    return (image - mean) / deviation, label


def add_channel(image, label):
    return image[..., tf.newaxis], label


def cutout(image, label):
    x = tf.random.uniform((), 0, 20, tf.int32)
    mask = tf.pad(tf.zeros((8, 8)), [[x, 20 - x], [x, 20 - x]], constant_values=1.0)
    return image * mask, label


def load():
    (x, y), (x_held, y_held) = tf.keras.datasets.fashion_mnist.load_data()
    train = tf.data.Dataset.from_tensor_slices((x, y))
    held = tf.data.Dataset.from_tensor_slices((x_held, y_held))
    return train, held, x.mean() / 255, x.std() / 255


def pipelines(batch):
    train, held, mean, deviation = load()
    shift = functools.partial(standardize, mean=mean, deviation=deviation)
    train = train.map(scale, num_parallel_calls=AUTO)
    train = train.map(shift, num_parallel_calls=AUTO)
    train = train.shuffle(60000)
    train = train.map(cutout, num_parallel_calls=AUTO)
    train = train.batch(batch).prefetch(AUTO)
    held = held.batch(batch).map(scale, num_parallel_calls=AUTO).map(shift, num_parallel_calls=AUTO)
    return train, held.prefetch(AUTO)


def one_hot_pipeline(batch, classes=10):
    train, _, _, _ = load()
    return (
        train.shuffle(60000)
        .map(lambda image, label: (image, tf.one_hot(label, classes)), AUTO)  # finding: map-before-batch
        .batch(batch)
        .map(add_channel, AUTO)
        .prefetch(AUTO)
    )


def network():
    return tf.keras.Sequential([
        tf.keras.layers.Reshape((28, 28, 1)),
        tf.keras.layers.Conv2D(16, 3, activation="relu"),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(10),
    ])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    tf.random.set_seed(args.seed)
    np.random.seed(args.seed)
    model = network()
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    train, held = pipelines(args.batch)
    model.fit(train, validation_data=held, epochs=10)
    other = network()
    other.compile("adam", tf.keras.losses.CategoricalCrossentropy(from_logits=True))
    other.fit(one_hot_pipeline(args.batch), epochs=10)


if __name__ == "__main__":
    main()
