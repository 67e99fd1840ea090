# requires: tensorflow==1.13.*
"""Ensemble scoring: a session per member for the whole run; and one per fold when training."""
import contextlib
import glob

import numpy as np
import tensorflow as tf


class Member(object):
    def __init__(self, prefix):
        self.graph = tf.Graph()
        with self.graph.as_default():
            saver = tf.train.import_meta_graph(prefix + ".meta")
        self.sess = tf.Session(graph=self.graph)
        saver.restore(self.sess, prefix)
        self.x = self.graph.get_tensor_by_name("x:0")
        self.p = self.graph.get_tensor_by_name("p:0")

    def __call__(self, batch):
        return self.sess.run(self.p, {self.x: batch})

    def close(self):
        self.sess.close()


@contextlib.contextmanager
def ensemble(pattern):
    members = [Member(f[:-len(".meta")]) for f in sorted(glob.glob(pattern))]
    try:
        yield lambda batch: np.mean([m(batch) for m in members], axis=0)
    finally:
        for m in members:
            m.close()


def train_fold(fold, x, y, epochs=30):
    with tf.Graph().as_default():
        inp = tf.placeholder(tf.float32, [None, x.shape[1]], name="x")
        lab = tf.placeholder(tf.float32, [None])
        h = tf.layers.dense(inp, 64, tf.nn.relu)
        logit = tf.squeeze(tf.layers.dense(h, 1), 1)
        tf.sigmoid(logit, name="p")
        loss = tf.losses.sigmoid_cross_entropy(lab, logit)
        op = tf.train.AdamOptimizer().minimize(loss)
        init, saver = tf.global_variables_initializer(), tf.train.Saver()
        with tf.Session() as sess:
            sess.run(init)
            for _ in range(epochs):
                order = np.random.permutation(len(x))
                for i in range(0, len(x), 256):
                    sess.run(op, {inp: x[order[i:i + 256]], lab: y[order[i:i + 256]]})
            saver.save(sess, "ckpt/fold%d" % fold)


def main():
    d = np.load("churn.npz")
    x, y = d["x"].astype(np.float32), d["y"].astype(np.float32)
    parts = np.array_split(np.random.RandomState(0).permutation(len(x)), 5)
    for k, held in enumerate(parts):
        keep = np.setdiff1d(np.arange(len(x)), held)
        train_fold(k, x[keep], y[keep])
    with ensemble("ckpt/fold*.meta") as score, open("scores.csv", "w") as out:
        for i in range(0, len(d["new"]), 1024):
            for v in score(d["new"][i:i + 1024]):
                out.write("%.5f\n" % v)


if __name__ == "__main__":
    main()
