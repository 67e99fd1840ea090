"""Legacy matrix factorisation job (graph mode)."""
import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Factorizer:
    def __init__(self, users, items, rank, lr):
        self.u = tf.placeholder(tf.int32, [None], "u")
        self.i = tf.placeholder(tf.int32, [None], "i")
        self.r = tf.placeholder(tf.float32, [None], "r")
        self.p = tf.get_variable("p", [users, rank], initializer=tf.random_normal_initializer(stddev=0.05))
        self.q = tf.get_variable("q", [items, rank], initializer=tf.random_normal_initializer(stddev=0.05))
        self.bias = tf.get_variable("bias", [], initializer=tf.zeros_initializer())
        dot = tf.reduce_sum(tf.nn.embedding_lookup(self.p, self.u) * tf.nn.embedding_lookup(self.q, self.i), 1)
        self.pred = dot + self.bias
        self.loss = tf.reduce_mean(tf.square(self.pred - self.r))
        self.train = tf.train.AdamOptimizer(lr).minimize(self.loss)
        self.hit = tf.reduce_mean(tf.cast(tf.abs(self.pred - self.r) < 0.5, tf.float32))
        self.shrink = [tf.assign(v, 0.999 * v) for v in (self.p, self.q)]

    def feed(self, rows):
        return {self.u: rows[:, 0], self.i: rows[:, 1], self.r: rows[:, 2]}

    def within_half_star(self, sess, rows):
        return sess.run(self.hit, self.feed(rows))

    def decay(self, sess):
        sess.run(self.shrink)


def batches(rows, size, rng):
    order = rng.permutation(len(rows))
    for lo in range(0, len(rows), size):
        yield rows[order[lo : lo + size]]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("ratings")
    ap.add_argument("--rank", type=int, default=64)
    ap.add_argument("--epochs", type=int, default=50)
    ap.add_argument("--batch", type=int, default=8192)
    args = ap.parse_args()
    rows = np.load(args.ratings)
    rng = np.random.default_rng(1)
    rng.shuffle(rows)
    held, rows = rows[:50_000], rows[50_000:]
    model = Factorizer(int(rows[:, 0].max()) + 1, int(rows[:, 1].max()) + 1, args.rank, 1e-3)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        step = 0
        for epoch in range(args.epochs):
            for chunk in batches(rows, args.batch, rng):
                sess.run(model.train, model.feed(chunk))
                step += 1
                if step % 20 == 0:
                    model.decay(sess)
                if step % 100 == 0:
                    print(step, model.within_half_star(sess, held))
            saver.save(sess, "ckpt/mf", global_step=epoch)


if __name__ == "__main__":
    main()
