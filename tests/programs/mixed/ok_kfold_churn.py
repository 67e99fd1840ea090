"""Churn MLP in graph mode (tf.compat.v1 under TF 2.21), k-fold with restarts.

Graph mode is kept because the scoring box only loads frozen v1 graphs.
"""
import argparse
import json
from contextlib import contextmanager

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


class Net:
    def __init__(self, dim, hidden, l2):
        self.x = v1.placeholder(tf.float32, [None, dim], "x")
        self.y = v1.placeholder(tf.float32, [None], "y")
        self.lr = v1.placeholder_with_default(1e-3, [], "lr")
        h, reg = self.x, 0.0
        for i, width in enumerate(hidden):
            w = v1.get_variable(f"w{i}", [h.shape[1], width])
            b = v1.get_variable(f"b{i}", [width], initializer=v1.zeros_initializer())
            h = tf.nn.relu(tf.matmul(h, w) + b)
            reg += tf.nn.l2_loss(w)
        w = v1.get_variable("out", [hidden[-1], 1])
        self.logit = tf.squeeze(tf.matmul(h, w), 1)
        self.prob = tf.sigmoid(self.logit, name="prob")
        self.loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=self.y, logits=self.logit)) + l2 * reg
        self.train = v1.train.AdamOptimizer(self.lr).minimize(self.loss)
        self.snapshots = [(v, v1.placeholder(v.dtype.base_dtype, v.shape)) for v in v1.trainable_variables()]
        self.load = tf.group(*[v1.assign(v, p) for v, p in self.snapshots])
        self.init = v1.global_variables_initializer()


@contextmanager
def fold_session(seed):
    """One graph and one session per fold: nothing leaks between folds."""
    with tf.Graph().as_default() as g:
        v1.set_random_seed(seed)
        with v1.Session(graph=g) as sess:
            yield sess


def minibatches(rng, n, size):
    order = rng.permutation(n)
    for i in range(0, n - size + 1, size):
        yield order[i : i + size]


def fit(sess, net, x, y, xv, yv, epochs, rng, restarts=3):
    best, weights = np.inf, None
    for r in range(restarts):
        sess.run(net.init)
        for epoch in range(epochs):
            for idx in minibatches(rng, len(x), 512):
                sess.run(net.train, {net.x: x[idx], net.y: y[idx], net.lr: 1e-3 * 0.97**epoch})
            val = sess.run(net.loss, {net.x: xv, net.y: yv})
            if val < best:
                best, weights = val, sess.run([v for v, _ in net.snapshots])
    sess.run(net.load, {p: w for (_, p), w in zip(net.snapshots, weights)})
    return best


def eager_report(y, p):
    edges = np.linspace(0, 1, 11)
    rows = []
    for lo, hi in zip(edges, edges[1:]):
        sel = (p >= lo) & (p < hi)
        if sel.any():
            gap = tf.abs(tf.reduce_mean(p[sel]) - tf.reduce_mean(y[sel]))
            rows.append((float(lo), int(sel.sum()), float(gap)))
    return rows


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("npz")
    ap.add_argument("--folds", type=int, default=10)
    ap.add_argument("--epochs", type=int, default=40)
    a = ap.parse_args()
    z = np.load(a.npz)
    x, y = z["x"].astype("float32"), z["y"].astype("float32")
    rng = np.random.default_rng(0)
    fold = rng.integers(0, a.folds, len(x))
    oof = np.zeros(len(x), "float32")
    for k in range(a.folds):
        tr, va = fold != k, fold == k
        with fold_session(k) as sess:
            net = Net(x.shape[1], (256, 64), 1e-5)
            loss = fit(sess, net, x[tr], y[tr], x[va], y[va], a.epochs, rng)
            oof[va] = sess.run(net.prob, {net.x: x[va]})
            if k == 0:
                frozen = v1.graph_util.convert_variables_to_constants(sess, sess.graph_def, ["prob"])
                tf.io.write_graph(frozen, ".", "churn.pb", as_text=False)
        print(k, round(float(loss), 5))
    print(json.dumps(eager_report(y, oof)))


if __name__ == "__main__":
    main()
