# requires: tensorflow==1.7.*
"""Embeddings of a citation graph; losses are properties of the model."""
import argparse

import numpy as np
import tensorflow as tf


class LINE(object):
    def __init__(self, nodes, dim, negatives=5, lr=0.025):
        self.nodes, self.negatives = nodes, negatives
        self.u = tf.placeholder(tf.int32, [None])
        self.v = tf.placeholder(tf.int32, [None])
        self.sign = tf.placeholder(tf.float32, [None])
        self.embedding = tf.get_variable("embedding", [nodes, dim],
                                         initializer=tf.random_uniform_initializer(-1.0, 1.0))
        self.context = tf.get_variable("context", [nodes, dim],
                                       initializer=tf.random_uniform_initializer(-1.0, 1.0))
        self.rate = tf.placeholder(tf.float32, [])
        self.train_op = tf.train.GradientDescentOptimizer(self.rate).minimize(self.loss)
        self.start_rate = lr

    @property
    def scores(self):
        u = tf.nn.embedding_lookup(self.embedding, self.u)  # finding: graph-growth
        v = tf.nn.embedding_lookup(self.context, self.v)  # finding: graph-growth
        return tf.reduce_sum(u * v, axis=1)  # finding: graph-growth

    @property
    def loss(self):
        return -tf.reduce_mean(tf.log_sigmoid(self.sign * self.scores))  # finding: graph-growth

    def feed(self, edges, rate):
        u, v = edges[:, 0], edges[:, 1]
        fake = np.random.randint(0, self.nodes, [self.negatives * len(u)])
        return {
            self.u: np.concatenate([u, np.repeat(u, self.negatives)]),
            self.v: np.concatenate([v, fake]),
            self.sign: np.concatenate([np.ones(len(u)), -np.ones(len(fake))]),
            self.rate: rate,
        }


def batches(edges, size, total):
    for step in range(total):
        yield step, edges[np.random.randint(0, len(edges), size)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("edges")
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--steps", type=int, default=300000)
    parser.add_argument("--out", default="embedding.npy")
    args = parser.parse_args()
    edges = np.loadtxt(args.edges, dtype=np.int64)
    model = LINE(edges.max() + 1, args.dim)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step, batch in batches(edges, 128, args.steps):
            rate = model.start_rate * max(1e-4, 1 - step / args.steps)
            feed = model.feed(batch, rate)
            sess.run(model.train_op, feed)
            if step % 100 == 0:
                print(step, sess.run(model.loss, feed))
        np.save(args.out, sess.run(model.embedding))


if __name__ == "__main__":
    main()
