# requires: tensorflow==1.14.0
"""Adversarial pictures against a frozen classifier, and a copy of its weights."""
import argparse

import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, scope):
        with tf.variable_scope(scope):
            self.x = tf.placeholder(tf.float32, [None, 28, 28, 1])
            self.y = tf.placeholder(tf.int64, [None])
            net = self.x
            for width in (16, 32):
                net = tf.layers.conv2d(net, width, 3, activation=tf.nn.relu)
            self.logits = tf.layers.dense(tf.layers.flatten(net), 10)
            self.loss = tf.losses.sparse_softmax_cross_entropy(self.y, self.logits)
        self.vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)
        self.train = tf.train.AdamOptimizer().minimize(self.loss)


def fgsm(sess, net, x, y, eps, rounds):
    for _ in range(rounds):
        slope, = tf.gradients(net.loss, net.x)  # finding: graph-growth
        x = x + eps * np.sign(sess.run(slope, {net.x: x, net.y: y}))
    return x


def fgsm_once(sess, net, x, y, eps, rounds):
    slope, = tf.gradients(net.loss, net.x)
    for _ in range(rounds):
        x = x + eps * np.sign(sess.run(slope, {net.x: x, net.y: y}))
    return x


def sync(sess, source, target):
    for a, b in zip(source.vars, target.vars):
        sess.run(b.assign(a))  # finding: graph-growth


def fit(sess, net, copy, batches, log):
    step = tf.train.get_or_create_global_step()
    for i, (x, y) in enumerate(batches):
        _, loss = sess.run([net.train, net.loss], {net.x: x, net.y: y})
        if i % 50 == 0:
            sync(sess, net, copy)
            hits = tf.nn.in_top_k(net.logits, net.y, 1)  # finding: graph-growth
            print(i, loss, hits.eval({net.x: x, net.y: y}, sess).mean(), tf.train.global_step(sess, step))
        if i % 1000 == 0:
            tf.train.Saver(max_to_keep=2).save(sess, log + "/model", i)  # finding: graph-growth
            tf.summary.FileWriter(log, sess.graph).close()


def batches(x, y, size, epochs):
    for _ in range(epochs):
        for start in range(0, len(x), size):
            yield x[start : start + size, ..., None] / 255.0, y[start : start + size]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--eps", type=float, default=0.01)
    parser.add_argument("--rounds", type=int, default=100)
    args = parser.parse_args()
    (x, y), _ = tf.keras.datasets.mnist.load_data()
    net, copy = Net("net"), Net("copy")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        fit(sess, net, copy, batches(x, y, 64, 10), "log")
        start = x[:16, ..., None] / 255.0
        wrong = fgsm(sess, net, start, y[:16], args.eps, args.rounds)
        other = fgsm_once(sess, net, start, y[:16], args.eps, args.rounds)
        print(np.abs(wrong - start).max(), np.abs(other - start).max())


if __name__ == "__main__":
    main()
