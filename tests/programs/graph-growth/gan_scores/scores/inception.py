import numpy as np
import tensorflow as tf
import tensorflow_hub as hub

URL = "https://tfhub.dev/google/imagenet/inception_v3/classification/4"


class Inception(object):
    """Runs Inception on pictures in [0, 1]."""

    def __init__(self, sess, size=299):
        self.sess = sess
        self.size = size
        self.module = hub.Module(URL)

    def logits(self, images):
        resized = tf.image.resize_bilinear(images, [self.size, self.size])  # finding: graph-growth
        return self.sess.run(self.module(resized))  # finding: graph-growth


def batches(images, n):
    for start in range(0, len(images), n):
        yield images[start : start + n]


def all_logits(inception, images, n=64):
    return np.concatenate([inception.logits(batch) for batch in batches(images, n)])
