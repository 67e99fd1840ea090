"""Visits to a web shop: hour, pages seen and money spent, one row a visit."""

import numpy as np
import tensorflow as tf


class Visits:
    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.rows = np.stack(
            [rng.integers(0, 24, count), rng.integers(1, 40, count), rng.gamma(2.0, 9.0, count)],
            axis=1,
        ).astype(np.float32)

    @staticmethod
    def encode(row):
        angle = row[..., 0] * (2 * np.pi / 24)
        inputs = tf.stack([tf.sin(angle), tf.cos(angle), tf.math.log(row[..., 1])], axis=-1)
        return inputs, tf.math.log1p(row[..., 2])

    def dataset(self, batch_size):
        visits = tf.data.Dataset.from_tensor_slices(self.rows)
        encoded = visits.map(self.encode, num_parallel_calls=tf.data.AUTOTUNE)  # finding
        shuffled = encoded.shuffle(256, seed=2)
        return shuffled.batch(batch_size).prefetch(1)
