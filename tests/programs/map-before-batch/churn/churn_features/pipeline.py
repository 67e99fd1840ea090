"""The input pipeline, from a feature matrix to batches."""
import numpy as np
import tensorflow as tf

from .transforms import swap_missing, to_example

AUTOTUNE = tf.data.experimental.AUTOTUNE


def load_matrix(path):
    blob = np.load(path)
    return blob["x"], blob["y"]


def examples(path, training):
    x, y = load_matrix(path)
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    if training:
        ds = ds.shuffle(len(x))
    ds = ds.map(swap_missing, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
    return ds.map(to_example, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch


def batches(path, batch_size, training=True):
    ds = examples(path, training)
    if training:
        ds = ds.repeat()
    return ds.batch(batch_size).prefetch(AUTOTUNE)
