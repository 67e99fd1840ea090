"""K-means in mini-batches over descriptors that a tf.data pipeline fetches from a store."""

import time

import numpy as np
import tensorflow as tf

CENTRES = 64
WIDTH = 32
BATCH = 256
STEPS = 16


def fetch(number):
    """One batch of descriptors; the store takes a while to answer."""
    time.sleep(0.04)
    rng = np.random.default_rng(int(number))
    return rng.standard_normal((BATCH, WIDTH), dtype=np.float32) + np.float32(number % 3)


def descriptors():
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    options.autotune.enabled = False
    numbers = tf.data.Dataset.range(STEPS).with_options(options)
    batches = numbers.map(lambda number: tf.numpy_function(fetch, [number], tf.float32))
    batches = batches.map(lambda batch: tf.ensure_shape(batch, [BATCH, WIDTH]))
    return batches.prefetch(2)


@tf.function
def update(centres, counts, batch):
    for _ in tf.range(3):
        distances = (
            tf.reduce_sum(batch**2, axis=1, keepdims=True)
            - 2.0 * tf.matmul(batch, centres, transpose_b=True)
            + tf.reduce_sum(centres**2, axis=1)
        )
        nearest = tf.one_hot(tf.argmin(distances, axis=1), CENTRES)
        members = tf.reduce_sum(nearest, axis=0)
        counts += members
        sums = tf.matmul(nearest, batch, transpose_a=True)
        centres += (sums - members[:, None] * centres) / tf.maximum(counts, 1.0)[:, None]
    return centres, counts


def main():
    rng = np.random.default_rng(0)
    centres = tf.constant(rng.normal(1.0, 1.0, (CENTRES, WIDTH)).astype(np.float32))
    counts = tf.zeros([CENTRES])
    for batch in descriptors():
        centres, counts = update(centres, counts, batch)
        counts.numpy()
    return [float(tf.reduce_sum(counts)), float(tf.reduce_mean(centres))]


if __name__ == "__main__":
    print(main())
