import sys

import numpy as np
import tensorflow as tf

import net
import pipeline
from frontend import FRONTENDS, WORDS, read_wav


class Scorer(object):
    def __init__(self, ckpt, kind):
        self.ckpt = ckpt
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.path = tf.placeholder(tf.string, [])
            feat, _ = FRONTENDS[kind](*read_wav(self.path, 0))
            self.prob = tf.nn.softmax(net.logits(feat[None], False))[0]
            self.saver = tf.train.Saver()

    def __call__(self, wav):
        with tf.Session(graph=self.graph) as s:  # finding: session-per-step
            self.saver.restore(s, self.ckpt)
            return s.run(self.prob, {self.path: wav})


def train(root, out, kind="mfcc", steps=18000):
    x, y = tf.compat.v1.data.make_one_shot_iterator(pipeline.make(root, "training", kind)).get_next()
    z = net.logits(x, True)
    loss = tf.losses.sparse_softmax_cross_entropy(y, z)
    gs = tf.train.get_or_create_global_step()
    lr = tf.train.piecewise_constant(gs, [10000], [1e-3, 1e-4])
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        op = tf.train.AdamOptimizer(lr).minimize(loss, gs)
    with tf.train.MonitoredTrainingSession(checkpoint_dir=out, save_checkpoint_secs=120) as s:
        for _ in range(steps):
            s.run(op)
    return tf.train.latest_checkpoint(out)


def report(ckpt, root, kind="mfcc"):
    names, ids = pipeline.listing(root, "testing")
    score = Scorer(ckpt, kind)
    conf = np.zeros((len(WORDS), len(WORDS)), int)
    for guess, truth in ((score(n).argmax(), t) for n, t in zip(names, ids)):
        conf[truth, guess] += 1  # finding: looped-update
    print(conf)
    print("acc", conf.trace() / float(conf.sum()))


if __name__ == "__main__":
    root_dir, out_dir = sys.argv[1:3]
    report(train(root_dir, out_dir), root_dir)
