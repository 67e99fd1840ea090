# requires: tensorflow==1.13.1
"""Binding affinity of peptides: a small recurrent regressor with lazily built parts."""
import functools
import os
import pickle

import numpy as np
import tensorflow as tf

ALPHABET = "ACDEFGHIKLMNPQRSTVWY"


def lazy(method):
    name = "_lazy_" + method.__name__

    @property
    @functools.wraps(method)
    def wrapper(self):
        if not hasattr(self, name):
            with tf.variable_scope(method.__name__):
                setattr(self, name, method(self))
        return getattr(self, name)

    return wrapper


class Affinity(object):
    def __init__(self, max_len, units=64, rate=1e-3):
        self.max_len = max_len
        self.units = units
        self.rate = rate
        self.sequence = tf.placeholder(tf.int32, [None, max_len], "sequence")
        self.length = tf.placeholder(tf.int32, [None], "length")
        self.target = tf.placeholder(tf.float32, [None], "target")
        self.prediction
        self.train_op

    @lazy
    def prediction(self):
        one_hot = tf.one_hot(self.sequence, len(ALPHABET))
        cell = tf.nn.rnn_cell.GRUCell(self.units)
        _, state = tf.nn.dynamic_rnn(cell, one_hot, self.length, dtype=tf.float32)
        return tf.squeeze(tf.layers.dense(state, 1), 1)

    @lazy
    def loss(self):
        return tf.losses.mean_squared_error(self.target, self.prediction)

    @lazy
    def train_op(self):
        return tf.train.AdamOptimizer(self.rate).minimize(self.loss)

    @property
    def spearman_proxy(self):
        centred = self.prediction - tf.reduce_mean(self.prediction)
        target = self.target - tf.reduce_mean(self.target)
        return tf.reduce_sum(centred * target) / (tf.norm(centred) * tf.norm(target))

    @property
    def mae(self):
        return tf.reduce_mean(tf.abs(self.prediction - self.target))

    def feed(self, rows):
        return {
            self.sequence: [row["codes"] for row in rows],
            self.length: [row["length"] for row in rows],
            self.target: [row["affinity"] for row in rows],
        }


def chunks(rows, size):
    for start in range(0, len(rows), size):
        yield rows[start:start + size]


def train(model, rows, held_out, steps, batch_size, folder):
    rng = np.random.RandomState(3)
    correlation = model.spearman_proxy
    saver = tf.train.Saver(max_to_keep=2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        step = 0
        while step < steps:
            rng.shuffle(rows)
            for chunk in chunks(rows, batch_size):
                feed = model.feed(chunk)
                _, loss, mae = sess.run([model.train_op, model.loss, model.mae], feed)  # finding: graph-growth
                if step % 50 == 0:
                    rho = sess.run(correlation, model.feed(held_out))
                    print("%6d loss %.4f mae %.4f rho %.3f" % (step, loss, mae, rho))
                step += 1
        saver.save(sess, os.path.join(folder, "affinity"), global_step=step)


def score(model, folder, rows):
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, tf.train.latest_checkpoint(folder))
        out = []
        for chunk in chunks(rows, 256):
            values = sess.run(model.prediction, model.feed(chunk))
            out.extend(sess.run(tf.clip_by_value(values, 0.0, 1.0)))  # finding: graph-growth
        return out


if __name__ == "__main__":
    with open("peptides.pkl", "rb") as stream:
        data = pickle.load(stream)
    net = Affinity(max_len=30)
    train(net, data["train"], data["valid"], 20000, 64, "checkpoints")
    print(np.mean(score(net, "checkpoints", data["test"])))
