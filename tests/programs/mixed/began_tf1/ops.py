import tensorflow as tf


def lrelu(x, leak=0.2):
    return tf.maximum(x, leak * x)


def linear(x, size, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [x.get_shape()[-1], size], initializer=tf.random_normal_initializer(stddev=0.02))
        b = tf.get_variable("b", [size], initializer=tf.constant_initializer(0.0))
        return tf.matmul(x, w) + b


def merge(images, size):
    """A grid of images, as a tensor."""
    rows = [tf.concat(tf.unstack(images[i * size : (i + 1) * size]), axis=1) for i in range(size)]  # finding: graph-growth
    return tf.concat(rows, axis=0)  # finding: graph-growth
