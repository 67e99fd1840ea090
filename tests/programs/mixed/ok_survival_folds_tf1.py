# requires: tensorflow==1.15
"""DeepSurv on a registry extract: 10 folds, a graph of its own for each."""
import json
import logging
import os

import numpy as np
import tensorflow as tf

logging.basicConfig(level=logging.INFO)
FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string("npz", "registry.npz", "covariates, time, event")
tf.app.flags.DEFINE_integer("epochs", 200, "")
tf.app.flags.DEFINE_list("layers", ["256", "128", "64"], "")


def tower(x, widths, keep):
    penalty = 0.0
    for i, w in enumerate(widths):
        with tf.variable_scope("dense_%d" % i):
            x = tf.layers.dense(x, int(w), activation=tf.nn.selu, name="fc")
            x = tf.nn.dropout(x, keep_prob=keep)
            penalty = penalty + tf.nn.l2_loss(x)
    return tf.squeeze(tf.layers.dense(x, 1, name="risk"), 1), penalty


class Fold(object):
    """Holds handles only; nothing is made after __init__."""

    def __init__(self, n_in, n_risk):
        self.x = tf.placeholder(tf.float32, [None, n_in], "x")
        self.event = tf.placeholder(tf.float32, [None], "event")
        self.keep = tf.placeholder_with_default(1.0, [], "keep")
        self.rate = tf.placeholder(tf.float32, [], "rate")
        self.risk, penalty = tower(self.x, FLAGS.layers, self.keep)
        log_cum = tf.log(tf.cumsum(tf.exp(self.risk)) + 1e-8)
        self.nll = -tf.reduce_sum((self.risk - log_cum) * self.event) / tf.reduce_sum(self.event)
        self.op = tf.train.AdamOptimizer(self.rate).minimize(self.nll + 1e-6 * penalty)
        self.shadow = []
        ema = tf.train.ExponentialMovingAverage(0.999)
        with tf.control_dependencies([self.op]):
            self.op = ema.apply(tf.trainable_variables())
        for v in tf.trainable_variables():
            self.shadow.append(tf.assign(v, ema.average(v)))
        self.init = tf.global_variables_initializer()
        self.saver = tf.train.Saver()


def concordance(risk, time, event):
    good = total = 0
    for i in np.flatnonzero(event):
        later = time > time[i]
        good += np.sum(risk[later] < risk[i])
        total += np.sum(later)
    return good / float(max(total, 1))


def fit_fold(k, x, time, event, test):
    order = np.argsort(-time[~test])
    xt, et = x[~test][order], event[~test][order]
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(k)
        net = Fold(x.shape[1], len(xt))
        graph.finalize()
        with tf.Session(graph=graph) as sess:
            sess.run(net.init)
            for epoch in range(FLAGS.epochs):
                feed = {net.x: xt, net.event: et, net.keep: 0.7, net.rate: 1e-3 * 0.99 ** epoch}
                _, loss = sess.run([net.op, net.nll], feed)
                if epoch % 50 == 0:
                    logging.info("fold %d epoch %d %.4f", k, epoch, loss)
            for op in net.shadow:
                sess.run(op)
            risk = sess.run(net.risk, {net.x: x[test]})
            net.saver.save(sess, os.path.join("folds", str(k)))
    return concordance(risk, time[test], event[test])


def main(_):
    z = np.load(FLAGS.npz)
    fold_of = np.random.RandomState(0).randint(0, 10, len(z["time"]))
    x, time, event = z["x"], z["time"], z["event"]
    scores = [fit_fold(k, x, time, event, fold_of == k) for k in range(10)]
    json.dump(scores, open("scores.json", "w"))
    logging.info("c-index %.3f +- %.3f", np.mean(scores), np.std(scores))


if __name__ == "__main__":
    tf.app.run()
