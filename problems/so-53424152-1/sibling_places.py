"""Street views, and how a tile of one is made ready."""

import numpy as np
import tensorflow as tf


def tile(seed):
    view = tf.random.stateless_uniform([48, 48, 3], seed=tf.stack([seed, seed + 1]))
    view = tf.image.central_crop(view, 0.8)
    view = tf.image.random_contrast(view, 0.5, 1.5)
    return tf.image.resize(view, [24, 24])


class StreetViews:
    def __init__(self, count):
        self.seeds = np.arange(count, dtype=np.int32)

    def batches(self, size):
        return (
            tf.data.Dataset.from_tensor_slices(self.seeds)
            .shuffle(len(self.seeds))
            .map(lambda seed: (tile(seed), seed % 4))  # finding
            .batch(size)
            .prefetch(tf.data.AUTOTUNE)
        )
