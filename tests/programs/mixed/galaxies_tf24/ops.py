"""Steps of the pipeline that experiments choose from, by name."""

import tensorflow as tf

STEPS = {}


def step(name):
    def register(function):
        STEPS[name] = function
        return function

    return register


@step("scale")
def scale(image, label):
    return tf.cast(image, tf.float32) / 127.5 - 1.0, label


@step("asinh")
def stretch(image, label):
    return tf.math.asinh(image * 10.0) / 3.0, label


@step("whiten")
def whiten(image, label):
    image = tf.cast(image, tf.float32)
    return (image - tf.reduce_mean(image)) / tf.math.reduce_std(image), label


@step("jitter")
def jitter(image, label):
    return tf.image.random_brightness(image, 0.1), label


def onehot(depth):
    def encode(image, label):
        return image, tf.one_hot(label, depth)

    return encode
