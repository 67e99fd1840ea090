# requires: tensorflow==2.4.1
"""Denoise CT slices. Every map is parallel, tiny, or not one of a dataset."""
import argparse
import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import tensorflow as tf

DEFAULTS = {"num_parallel_calls": tf.data.AUTOTUNE, "deterministic": False}


def fast(dataset):
    """All that a dataset does, on all cores."""
    options = tf.data.Options()
    options.experimental_optimization.map_parallelization = True
    options.experimental_optimization.autotune = True
    return dataset.with_options(options)


def read_slice(path):
    raw = tf.io.read_file(path)
    image = tf.io.decode_png(raw, channels=1, dtype=tf.uint16)
    return tf.image.resize(tf.cast(image, tf.float32) / 65535.0, (256, 256))


def noisy_pair(image, scale=0.05):
    noise = tf.random.normal(tf.shape(image), stddev=scale)
    return image + noise, image


class SliceData:
    def __init__(self, table, workers=None, batch=16):
        self.paths = table["path"].map(os.path.abspath).tolist()
        self.ages = table["age"].map(lambda years: min(years, 90)).to_numpy()
        self.how = dict(DEFAULTS)
        if workers:
            self.how["num_parallel_calls"] = workers
        self.batch = batch

    def images(self):
        return tf.data.Dataset.from_tensor_slices(self.paths).map(read_slice, **self.how)

    def training(self):
        pairs = self.images().cache().shuffle(2048).map(noisy_pair, self.how["num_parallel_calls"])
        return pairs.batch(self.batch).prefetch(1)

    def preview(self):
        dataset = tf.data.Dataset.from_tensor_slices(self.paths)
        dataset = dataset.map(read_slice)
        dataset = dataset.batch(self.batch)
        return fast(dataset)


def sizes(paths):
    with multiprocessing.Pool() as pool:
        by_stat = pool.map(os.path.getsize, paths)
    with ThreadPoolExecutor(8) as threads:
        again = list(threads.map(os.path.getsize, paths))
    assert by_stat == again
    return np.array(by_stat)


def learning_rates(epochs):
    return list(map(lambda epoch: 1e-3 * 0.9 ** epoch, range(epochs)))


def check_ranges():
    """A quick look that the pairing does what it should."""
    numbers = tf.data.Dataset.range(5).map(lambda i: (i, i * i))
    for i, square in numbers:
        assert int(square) == int(i) ** 2


def scaled(weights, by):
    return tf.nest.map_structure(lambda w: w * by, weights)


def patches(images):
    return tf.map_fn(lambda image: tf.image.random_crop(image, (64, 64, 1)), images)


def network():
    inputs = tf.keras.Input((256, 256, 1))
    x = inputs
    for filters in (32, 32, 32):
        x = tf.keras.layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return tf.keras.Model(inputs, inputs + tf.keras.layers.Conv2D(1, 3, padding="same")(x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    check_ranges()
    table = pd.read_csv(args.table)
    data = SliceData(table, args.workers)
    print("bytes", sizes(data.paths).sum(), "mean age", data.ages.mean())
    rates = learning_rates(args.epochs)
    model = network()
    model.compile("adam", "mse")
    model.fit(
        data.training(),
        epochs=args.epochs,
        callbacks=[tf.keras.callbacks.LearningRateScheduler(lambda epoch: rates[epoch])],
    )
    model.set_weights([w * 1.0 for w in model.get_weights()])
    for images in data.preview().take(1):
        print(model.predict(images).mean(), patches(images).shape)


if __name__ == "__main__":
    main()
