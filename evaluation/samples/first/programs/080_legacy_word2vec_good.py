"""Skip-gram training for the legacy search stack (TF1 graph mode)."""
import argparse
import math

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class SkipGram:
    def __init__(self, vocab, dim, negatives):
        self.centers = tf.placeholder(tf.int32, [None])
        self.contexts = tf.placeholder(tf.int32, [None, 1])
        self.emb = tf.get_variable(
            "emb", [vocab, dim], initializer=tf.random_uniform_initializer(-1.0, 1.0))
        w = tf.get_variable(
            "nce_w", [vocab, dim],
            initializer=tf.truncated_normal_initializer(stddev=1 / math.sqrt(dim)))
        b = tf.get_variable("nce_b", [vocab], initializer=tf.zeros_initializer())
        self.lr = tf.get_variable("lr", [], initializer=tf.constant_initializer(1.0),
                                  trainable=False)
        hidden = tf.nn.embedding_lookup(self.emb, self.centers)
        self.loss = tf.reduce_mean(tf.nn.nce_loss(
            w, b, self.contexts, hidden, negatives, vocab))
        self.train_op = tf.train.GradientDescentOptimizer(self.lr).minimize(self.loss)
        self.saver = tf.train.Saver([self.emb])
        self.decay = tf.assign(self.lr, self.lr * 0.999)
        self.probe = tf.placeholder(tf.int32, [None])
        unit = tf.nn.l2_normalize(self.emb, axis=1)
        sims = tf.matmul(tf.gather(unit, self.probe), unit, transpose_b=True)
        self.top = tf.nn.top_k(sims, 9).indices


def pairs(path, batch, window, rng):
    ids = np.load(path, mmap_mode="r")
    while True:
        at = rng.integers(window, len(ids) - window, size=batch)
        shift = rng.integers(1, window + 1, size=batch) * rng.choice([-1, 1], size=batch)
        yield ids[at].astype(np.int32), ids[at + shift].astype(np.int32)[:, None]


def neighbours(sess, model, probe):
    return sess.run(model.top, {model.probe: probe})


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tokens")
    p.add_argument("--vocab", type=int, default=80000)
    p.add_argument("--steps", type=int, default=500_000)
    p.add_argument("--batch", type=int, default=1024)
    args = p.parse_args()

    model = SkipGram(args.vocab, 256, 64)
    stream = pairs(args.tokens, args.batch, 5, np.random.default_rng(0))
    probe = np.arange(100, 116, dtype=np.int32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        tf.get_default_graph().finalize()
        for step in range(args.steps):
            c, o = next(stream)
            sess.run(model.train_op, {model.centers: c, model.contexts: o})
            if step % 100 == 0:
                sess.run(model.decay)
            if step % 5000 == 0:
                print(step, neighbours(sess, model, probe)[:, 1:])
        model.saver.save(sess, "word2vec.ckpt")


if __name__ == "__main__":
    main()
