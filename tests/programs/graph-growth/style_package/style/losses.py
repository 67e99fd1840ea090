import tensorflow as tf


class Matcher(object):
    """Distances between Gram matrices."""

    def __init__(self, layers):
        self.layers = layers

    def gram(self, features):
        flat = tf.reshape(features, [-1, features.shape[-1]])  # finding: graph-growth
        return tf.matmul(flat, flat, transpose_a=True)  # finding: graph-growth
