"""Features of pictures, computed once for the targets."""
import numpy as np
import tensorflow as tf

from .network import gram

STYLE = ["relu1_1", "relu2_1", "relu3_1"]


def extract(sess, vgg, image):
    tensors = vgg(tf.constant(image, tf.float32))  # finding: graph-growth
    return sess.run({name: tensors[name] for name in STYLE})


def style_grams(sess, vgg, images):
    total = {name: 0.0 for name in STYLE}
    for image in images:
        features = extract(sess, vgg, image[np.newaxis])
        for name in STYLE:
            total[name] += gram_value(sess, features[name])
    return {name: value / len(images) for name, value in total.items()}


def gram_value(sess, features):
    return sess.run(gram(tf.constant(features)))  # finding: graph-growth
