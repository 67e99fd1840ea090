# requires: tensorflow==1.14.*
"""Cross-validation: each fold has a graph and a session of its own."""
import json
import sys

import numpy as np
import tensorflow as tf
from sklearn.model_selection import KFold


class Network:
    def __init__(self, dim, widths, rate):
        self.x = tf.placeholder(tf.float32, [None, dim])
        self.y = tf.placeholder(tf.float32, [None])
        h = self.x
        for width in widths:
            h = tf.layers.dense(h, width, activation=tf.nn.elu)
        self.out = tf.squeeze(tf.layers.dense(h, 1), 1)
        self.loss = tf.losses.mean_squared_error(self.y, self.out)
        self.rate = tf.Variable(rate, trainable=False)
        self.new_rate = tf.placeholder(tf.float32, [])
        self.set_rate = self.rate.assign(self.new_rate)
        self.train_op = tf.train.AdamOptimizer(self.rate).minimize(self.loss)
        self.init = tf.global_variables_initializer()
        self.saver = tf.train.Saver(max_to_keep=1)


def minibatches(x, y, size):
    order = np.random.permutation(len(x))
    for start in range(0, len(x), size):
        index = order[start:start + size]
        yield x[index], y[index]


def fit_fold(network, train, valid, epochs, path):
    best = np.inf
    with tf.Session() as sess:
        sess.run(network.init)
        for epoch in range(epochs):
            for x, y in minibatches(*train, size=256):
                sess.run(network.train_op, {network.x: x, network.y: y})
            value = sess.run(network.loss, {network.x: valid[0], network.y: valid[1]})
            if value < best:
                best = value
                network.saver.save(sess, path)
            elif epoch % 10 == 9:
                sess.run(network.set_rate, {network.new_rate: 1e-3 * 0.9 ** epoch})
    return float(best)


def main(path):
    blob = np.load(path)
    x, y = blob["x"], blob["y"]
    scores = []
    for fold, (a, b) in enumerate(KFold(10, shuffle=True).split(x)):
        with tf.Graph().as_default():
            tf.set_random_seed(fold)
            network = Network(x.shape[1], (128, 64), 1e-3)
            scores.append(fit_fold(network, (x[a], y[a]), (x[b], y[b]), 100, "fold%d" % fold))
    print(json.dumps({"mean": np.mean(scores), "folds": scores}))


if __name__ == "__main__":
    main(sys.argv[1])
