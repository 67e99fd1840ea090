"""A network that reads digits."""

import tensorflow as tf


def load_reader(sess):
    kernel = tf.compat.v1.get_variable("kernel", [64, 10])
    bias = tf.compat.v1.get_variable("bias", [10])
    sess.run(tf.compat.v1.global_variables_initializer())
    return kernel, bias


def network(photo, kernel, bias):
    inputs = tf.cast(tf.reshape(photo, [1, 64]), tf.float32)  # finding
    return tf.nn.bias_add(tf.matmul(inputs, kernel), bias)  # finding


def read_digit(sess, parameters, photo):
    logits = network(photo, *parameters)
    return int(sess.run(logits).argmax())
