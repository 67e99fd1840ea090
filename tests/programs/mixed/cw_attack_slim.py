# requires: tensorflow==1.13.2
"""Carlini-Wagner style attack against a frozen ImageNet graph, with fooling-rate report."""
import argparse
import os

import numpy as np
import scipy.misc
import tensorflow as tf


def frozen(pb):
    gd = tf.GraphDef()
    with tf.gfile.GFile(pb, "rb") as f:
        gd.ParseFromString(f.read())
    return gd


class Victim:
    IN, OUT = "input:0", "logits:0"

    def __init__(self, pb):
        self.gd = frozen(pb)

    def attach(self, x):
        return tf.import_graph_def(self.gd, {self.IN: x}, [self.OUT])[0]


class Optimiser(object):
    def __init__(self, sess, victim, shape, kappa=0.0):
        self.sess, self.victim, self.kappa = sess, victim, kappa
        self.x0 = tf.placeholder(tf.float32, shape)
        self.tgt = tf.placeholder(tf.int32, [shape[0]])
        self.delta = tf.get_variable("delta", shape, initializer=tf.zeros_initializer())
        self.const = tf.placeholder(tf.float32, [])
        self.objective()

    def objective(self):
        self.adv = tf.clip_by_value(self.x0 + self.delta, -1.0, 1.0)
        z = self.victim.attach(self.adv)
        hot = tf.one_hot(self.tgt, int(z.shape[1]))
        real = tf.reduce_sum(hot * z, 1)
        other = tf.reduce_max((1 - hot) * z - hot * 1e4, 1)
        self.margin = other - real
        l2 = tf.reduce_sum(tf.square(self.adv - self.x0))
        self.loss = self.const * tf.reduce_sum(tf.maximum(self.margin, -self.kappa)) + l2
        self.pred = tf.argmax(z, 1)
        opt = tf.train.AdamOptimizer(0.01)
        self.op = opt.minimize(self.loss, var_list=[self.delta])
        self.reset = tf.variables_initializer([self.delta] + opt.variables())

    def project(self, eps):
        bounded = tf.clip_by_norm(self.delta, eps)  # finding: graph-growth
        return self.delta.assign(bounded)  # finding: graph-growth

    def attack(self, img, tgt, eps, budget=100):
        self.sess.run(self.reset)
        fd = {self.x0: img, self.tgt: tgt, self.const: 1.0}
        left = budget
        while left:
            m, _ = self.sess.run([self.margin, self.op], fd)
            self.sess.run(self.project(eps))
            if (m < -self.kappa).all():
                fd[self.const] *= 0.9
            left -= 1
        return self.sess.run([self.adv, self.pred], fd)


def transfer(pb, images):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 299, 299, 3])
        y = tf.argmax(Victim(pb).attach(x), 1)
        with tf.Session() as s:  # finding: session-per-step
            return s.run(y, {x: images})


def stream(folder, n):
    names = sorted(os.listdir(folder))
    for lo in range(0, len(names) - n + 1, n):
        ims = [scipy.misc.imread(os.path.join(folder, f), mode="RGB") for f in names[lo:lo + n]]
        yield np.stack(ims).astype(np.float32) / 127.5 - 1.0


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("folder")
    ap.add_argument("white")
    ap.add_argument("black")
    ap.add_argument("--eps", type=float, default=8.0)
    ap.add_argument("--bs", type=int, default=16)
    a = ap.parse_args()
    rng = np.random.RandomState(3)
    with tf.Session() as sess:
        o = Optimiser(sess, Victim(a.white), (a.bs, 299, 299, 3))
        hit, moved, n = 0, 0, 0
        for ims in stream(a.folder, a.bs):
            tgt = rng.randint(0, 1000, a.bs)
            adv, p = o.attack(ims, tgt, a.eps)
            hit += (p == tgt).sum()
            moved += (transfer(a.black, adv) == tgt).sum()
            n += a.bs
            print("white %.3f black %.3f" % (hit / float(n), moved / float(n)))


if __name__ == "__main__":
    main()
