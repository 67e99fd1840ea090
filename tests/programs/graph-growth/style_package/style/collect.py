import tensorflow as tf

from .losses import Matcher


def collect(activations):
    """Gram matrices of every picture's activations."""
    matcher = Matcher(["conv1_1", "conv2_1"])
    grams = []
    with tf.Session() as session:
        for activation in activations:
            grams.append(session.run(matcher.gram(activation)))
    return grams
