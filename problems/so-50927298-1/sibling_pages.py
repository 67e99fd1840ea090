"""Pages of handwriting that a scanner hands out one by one, batch by batch."""

import numpy as np
import tensorflow as tf

PAGES = 140


def scan(number):
    rng = np.random.default_rng(int(number))
    return rng.random((20, 60, 1), dtype=np.float32)


def page(number):
    image = tf.numpy_function(scan, [number], tf.float32)
    return tf.ensure_shape(image, [20, 60, 1]), number % 7


def handwriting(batch_size):
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    return (
        tf.data.Dataset.range(PAGES)
        .with_options(options)
        .shuffle(PAGES)
        .map(page)
        .batch(batch_size)  # finding
    )
