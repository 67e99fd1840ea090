# requires: tensorflow==2.15.0
"""Every picture is scaled by its own range; a batch would be scaled by one."""
import tensorflow as tf


def stretch(picture):
    low = tf.reduce_min(picture)
    high = tf.reduce_max(picture)
    return (picture - low) / (high - low + 1e-6)


def center(picture):
    return picture - tf.reduce_mean(picture)


def microscope(pictures, size):
    dataset = tf.data.Dataset.from_tensor_slices(pictures)
    dataset = dataset.map(stretch, num_parallel_calls=tf.data.AUTOTUNE)
    dataset = dataset.map(center, num_parallel_calls=tf.data.AUTOTUNE)
    return dataset.batch(size)
