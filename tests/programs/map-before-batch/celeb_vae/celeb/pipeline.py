"""From a folder and a table to batches."""
from pathlib import Path

import numpy as np
import tensorflow as tf

from . import preprocess


def batches(dataset, size, training):
    if training:
        dataset = dataset.shuffle(4096, reshuffle_each_iteration=True)
    return dataset.batch(size, drop_remainder=training).prefetch(tf.data.AUTOTUNE)


def read_attributes(path):
    table = np.loadtxt(path, skiprows=2, usecols=range(1, 41), dtype=np.int32)
    return table


class Celeb:
    def __init__(self, root, scale="unit", colors=True):
        self.root = Path(root)
        self.scale = preprocess.SCALES[scale]
        self.steps = [preprocess.clipped]
        if not colors:
            self.steps.append(preprocess.gray)
        self.paths = sorted(str(path) for path in self.root.glob("img/*.jpg"))

    def images(self, first, last):
        paths = tf.data.Dataset.from_tensor_slices(self.paths[first:last])
        return paths.map(preprocess.decode, num_parallel_calls=tf.data.AUTOTUNE)

    def attributes(self, first, last):
        table = read_attributes(self.root / "list_attr_celeba.txt")
        rows = tf.data.Dataset.from_tensor_slices(table[first:last])
        return rows.map(preprocess.binary)  # finding: map-before-batch

    def autoencoding(self, first, last, size, training=True):
        images = self.images(first, last).cache()
        for step in self.steps:
            images = images.map(step)  # note: map-before-batch
        return batches(images.map(self.scale), size, training)  # note: map-before-batch

    def labelled(self, first, last, size):
        pairs = tf.data.Dataset.zip((self.images(first, last), self.attributes(first, last)))
        return batches(pairs, size, training=True)

    def normalized(self, first, last, size):
        images = self.images(first, last).map(preprocess.standardized)
        return batches(images, size, training=False)
