"""Pages of handwriting, augmented while they are read."""

import numpy as np
import tensorflow as tf


def augment(page, writer):
    page = tf.image.random_brightness(page, 0.2)
    page = tf.image.random_flip_left_right(page)
    return page, writer


def handwriting(pages, batch_size):
    rng = np.random.default_rng(20)
    images = rng.random((pages, 20, 60, 1), dtype=np.float32)
    writers = rng.integers(0, 7, pages)
    return (
        tf.data.Dataset.from_tensor_slices((images, writers))
        .shuffle(pages)
        .map(augment, num_parallel_calls=4)
        .batch(batch_size)  # finding
    )
