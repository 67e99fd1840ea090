# requires: tensorflow==1.15.*
"""Hyper-parameter grid; every setting gets its own graph, and all its nodes are made before the loop."""
import itertools
import json

import numpy as np
import tensorflow as tf


def read():
    with np.load("data/wine.npz") as d:
        return d["x"].astype(np.float32), d["y"].astype(np.int64)


class Net:
    def __init__(self, n_in, n_out, width, lr, l2):
        self.x = tf.compat.v1.placeholder(tf.float32, [None, n_in])
        self.y = tf.compat.v1.placeholder(tf.int64, [None])
        reg = tf.keras.regularizers.l2(l2)
        h = tf.compat.v1.layers.dense(self.x, width, tf.nn.relu, kernel_regularizer=reg)
        logits = tf.compat.v1.layers.dense(h, n_out, kernel_regularizer=reg)
        self.loss = tf.compat.v1.losses.sparse_softmax_cross_entropy(self.y, logits)
        total = self.loss + tf.compat.v1.losses.get_regularization_loss()
        self.train = tf.compat.v1.train.AdamOptimizer(lr).minimize(total)
        self.accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), self.y), tf.float32))
        self.rate = tf.compat.v1.placeholder(tf.float32, [])
        self.kept = tf.Variable(0.0, trainable=False)
        self.keep_best = self.kept.assign(tf.maximum(self.kept, self.rate))
        self.init = tf.compat.v1.global_variables_initializer()


def run(setting, data, epochs=50, batch=64):
    (x, y), (xv, yv) = data
    with tf.Graph().as_default() as graph:
        tf.compat.v1.set_random_seed(0)
        net = Net(x.shape[1], int(y.max()) + 1, **setting)
        graph.finalize()
        with tf.compat.v1.Session(graph=graph) as sess:
            sess.run(net.init)
            rng = np.random.RandomState(0)
            for _ in range(epochs):
                order = rng.permutation(len(x))
                for i in range(0, len(x), batch):
                    idx = order[i:i + batch]
                    sess.run(net.train, {net.x: x[idx], net.y: y[idx]})
                score = sess.run(net.accuracy, {net.x: xv, net.y: yv})
                sess.run(net.keep_best, {net.rate: score})
            return float(sess.run(net.kept))


def main():
    x, y = read()
    x = (x - x.mean(0)) / x.std(0)
    cut = int(0.8 * len(x))
    data = ((x[:cut], y[:cut]), (x[cut:], y[cut:]))
    results = []
    for width, lr, l2 in itertools.product([32, 64, 128], [1e-3, 1e-2], [0.0, 1e-4]):
        setting = dict(width=width, lr=lr, l2=l2)
        results.append((run(setting, data), setting))
        print(results[-1])
    results.sort(key=lambda r: -r[0])
    with open("grid.json", "w") as f:
        json.dump(results, f, indent=1)


if __name__ == "__main__":
    main()
