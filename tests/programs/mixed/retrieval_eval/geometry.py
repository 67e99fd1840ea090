import tensorflow as tf


def unit(v):
    return tf.math.l2_normalize(v, axis=-1)


def cosine(queries, items):
    return tf.matmul(unit(queries), unit(items), transpose_b=True)


def dot(queries, items):
    return tf.matmul(queries, items, transpose_b=True)
