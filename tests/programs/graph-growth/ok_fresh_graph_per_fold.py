# requires: tensorflow==1.15.0
"""Cross-validation; every fold has a graph of its own."""
import numpy as np
import tensorflow as tf

FOLDS = 5


def build(width):
    x = tf.placeholder(tf.float32, [None, width])
    y = tf.placeholder(tf.float32, [None])
    predicted = tf.squeeze(tf.layers.dense(x, 1), -1)
    loss = tf.reduce_mean(tf.square(predicted - y))
    return x, y, loss, tf.train.AdamOptimizer().minimize(loss), tf.global_variables_initializer()


def main(features, target):
    scores = []
    parts = np.array_split(np.random.permutation(len(target)), FOLDS)
    for fold in range(FOLDS):
        held = parts[fold]
        rest = np.concatenate([part for i, part in enumerate(parts) if i != fold])
        with tf.Graph().as_default():
            x, y, loss, step, initialize = build(features.shape[1])
            with tf.Session() as sess:
                sess.run(initialize)
                for _ in range(1000):
                    sess.run(step, {x: features[rest], y: target[rest]})
                scores.append(sess.run(loss, {x: features[held], y: target[held]}))
    print(np.mean(scores))
