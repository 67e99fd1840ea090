# requires: tensorflow==1.4.*
"""A memory network whose hops are unrolled by loops before the session starts."""
from __future__ import division, print_function

import argparse
import random

import numpy as np
import tensorflow as tf


class MemN2N(object):
    def __init__(self, vocab, sentence, memory, dim=40, hops=3, lr=0.01):
        self.stories = tf.placeholder(tf.int32, [None, memory, sentence])
        self.queries = tf.placeholder(tf.int32, [None, sentence])
        self.answers = tf.placeholder(tf.int32, [None])
        self.rate = tf.placeholder_with_default(lr, [])
        tables = [tf.get_variable("table%d" % i, [vocab, dim]) for i in range(hops + 1)]
        u = tf.reduce_sum(tf.nn.embedding_lookup(tables[0], self.queries), 1)
        for hop in range(hops):
            m = tf.reduce_sum(tf.nn.embedding_lookup(tables[hop], self.stories), 2)
            c = tf.reduce_sum(tf.nn.embedding_lookup(tables[hop + 1], self.stories), 2)
            p = tf.nn.softmax(tf.reduce_sum(m * tf.expand_dims(u, 1), 2))
            u = u + tf.reduce_sum(c * tf.expand_dims(p, 2), 1)
        logits = tf.matmul(u, tables[-1], transpose_b=True)
        self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=self.answers, logits=logits))
        self.predicted = tf.argmax(logits, 1)
        optimizer = tf.train.GradientDescentOptimizer(self.rate)
        clipped = [(tf.clip_by_norm(g, 40.0), v) for g, v in optimizer.compute_gradients(self.loss)]
        self.step = optimizer.apply_gradients(clipped)

    def feed(self, batch, **more):
        feed = {self.stories: batch[0], self.queries: batch[1], self.answers: batch[2]}
        feed.update({getattr(self, name): value for name, value in more.items()})
        return feed


def split(data, size):
    starts = list(range(0, len(data[2]) - size + 1, size))
    random.shuffle(starts)
    for s in starts:
        yield tuple(part[s:s + size] for part in data)


def accuracy(sess, model, data):
    hits = [np.mean(sess.run(model.predicted, model.feed(b)) == b[2]) for b in split(data, 100)]
    return np.mean(hits)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--task", default="qa1.npz")
    parser.add_argument("--epochs", type=int, default=100)
    args = parser.parse_args()
    blob = np.load(args.task)
    train = (blob["s"], blob["q"], blob["a"])
    test = (blob["s_test"], blob["q_test"], blob["a_test"])
    model = MemN2N(int(blob["vocab"]), train[0].shape[2], train[0].shape[1])
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        tf.get_default_graph().finalize()
        for epoch in range(args.epochs):
            rate = 0.01 / 2 ** (epoch // 25)
            losses = [sess.run([model.loss, model.step], model.feed(b, rate=rate))[0]
                      for b in split(train, 32)]
            if epoch % 10 == 0:
                print(epoch, np.mean(losses), accuracy(sess, model, test))
                saver.save(sess, "memn2n", epoch)


if __name__ == "__main__":
    main()
