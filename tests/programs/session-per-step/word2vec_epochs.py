# requires: tensorflow==1.12.*
"""Skip-gram embeddings of product ids, with a nearest-neighbour report."""
import collections
import os
import random

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("baskets", "baskets.txt", "one basket a line")
flags.DEFINE_string("ckpt", "ckpt/p2v", "prefix of checkpoints")
flags.DEFINE_integer("dim", 64, "")
flags.DEFINE_integer("epochs", 20, "")
flags.DEFINE_integer("batch", 1024, "")
flags.DEFINE_integer("negatives", 32, "")
flags.DEFINE_integer("report_every", 200, "steps")
FLAGS = flags.FLAGS


def read(path):
    with open(path) as f:
        baskets = [line.split() for line in f]
    count = collections.Counter(p for b in baskets for p in b)
    ids = {p: i for i, (p, _) in enumerate(count.most_common())}
    return [[ids[p] for p in b] for b in baskets if len(b) > 1], ids


def pairs(baskets, size):
    random.shuffle(baskets)
    xs, ys = [], []
    for basket in baskets:
        for target in basket:
            context = random.choice(basket)
            if context == target:
                continue
            xs.append(target)
            ys.append([context])
            if len(xs) == size:
                yield xs, ys
                xs, ys = [], []


class Model:
    def __init__(self, n):
        self.x = tf.placeholder(tf.int32, [None])
        self.y = tf.placeholder(tf.int32, [None, 1])
        self.table = tf.get_variable("table", [n, FLAGS.dim], initializer=tf.random_uniform_initializer(-0.1, 0.1))
        weights = tf.get_variable("nce_w", [n, FLAGS.dim])
        bias = tf.get_variable("nce_b", [n], initializer=tf.zeros_initializer())
        emb = tf.nn.embedding_lookup(self.table, self.x)
        self.loss = tf.reduce_mean(tf.nn.nce_loss(weights, bias, self.y, emb, FLAGS.negatives, n))
        self.step = tf.train.get_or_create_global_step()
        self.train = tf.train.AdamOptimizer(1e-3).minimize(self.loss, global_step=self.step)
        norm = tf.nn.l2_normalize(self.table, 1)
        self.similar = tf.nn.top_k(tf.matmul(tf.gather(norm, self.x), norm, transpose_b=True), 6)


def report(model, saver, names):
    with tf.Session() as sess:  # finding: session-per-step
        saver.restore(sess, tf.train.latest_checkpoint(os.path.dirname(FLAGS.ckpt)))
        top = sess.run(model.similar, {model.x: list(range(10))})
    for i, row in enumerate(top.indices):
        print(names[i], "->", ", ".join(names[j] for j in row[1:]))


def main(_):
    baskets, ids = read(FLAGS.baskets)
    names = {i: p for p, i in ids.items()}
    model = Model(len(ids))
    saver = tf.train.Saver(max_to_keep=2)
    init = tf.global_variables_initializer()
    for epoch in range(FLAGS.epochs):
        with tf.Session() as sess:
            if epoch == 0:
                sess.run(init)
            else:
                saver.restore(sess, tf.train.latest_checkpoint(os.path.dirname(FLAGS.ckpt)))
            for xs, ys in pairs(baskets, FLAGS.batch):
                _, loss, step = sess.run([model.train, model.loss, model.step], {model.x: xs, model.y: ys})
                if step % FLAGS.report_every == 0:
                    saver.save(sess, FLAGS.ckpt, global_step=step)
                    report(model, saver, names)
            saver.save(sess, FLAGS.ckpt, global_step=model.step)
            print("epoch", epoch, "loss", loss)


if __name__ == "__main__":
    tf.app.run()
