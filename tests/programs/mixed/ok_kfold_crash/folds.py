import contextlib

import numpy as np
import tensorflow as tf

from net import Tabular


class Fold(object):
    def __init__(self, sess, model, board):
        self.sess, self.model, self.board = sess, model, board

    def probs(self, xs, size=4096):
        n = len(xs[0])
        with self.sess.as_default():
            return np.concatenate([
                self.model.prob.eval(self.model.feed([x[i:i + size] for x in xs])) for i in range(0, n, size)])

    def log(self, step, **scalars):
        for tag, v in scalars.items():
            self.board.add_summary(tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=v)]), step)

    def fit(self, xs, y, val, epochs=30, size=512):
        best, bad = 1e9, 0
        for e in range(epochs):
            order = np.random.permutation(len(y))
            for i in range(0, len(y), size):
                b = order[i:i + size]
                self.sess.run(self.model.train, self.model.feed([x[b] for x in xs], y[b]))
            loss = self.sess.run(self.model.loss, self.model.feed(*val))
            self.log(e, val_loss=float(loss))
            if loss < best:
                best, bad = loss, 0
            else:
                bad += 1
                self.sess.run(self.model.halve)
            if bad == 4:
                break
        return best


@contextlib.contextmanager
def fold(k, groups, logdir):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(k)
        model = Tabular(groups)
        init = tf.global_variables_initializer()
        with tf.Session(graph=graph) as sess:
            sess.run(init)
            yield Fold(sess, model, tf.summary.FileWriter("%s/fold%d" % (logdir, k), graph))
