"""Changes of tiles while training."""

import tensorflow as tf


def dihedral(tile, mask):
    k = tf.random.uniform([], 0, 4, dtype=tf.int32)
    tile = tf.image.rot90(tile, k)
    mask = tf.image.rot90(mask[..., tf.newaxis], k)[..., 0]
    if tf.random.uniform([]) < 0.5:
        tile = tf.reverse(tile, axis=[1])
        mask = tf.reverse(mask, axis=[1])
    return tile, mask


def haze(tile, mask):
    amount = tf.random.uniform([], 0.0, 0.1)
    return tile * (1.0 - amount) + amount, mask
