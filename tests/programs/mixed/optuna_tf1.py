# requires: tensorflow==1.15.0
"""Hyperparameter search over small networks, one graph per trial."""
import sys

import numpy as np
import optuna
import tensorflow as tf
from tqdm import trange


class Trial:
    def __init__(self, data, width, rate):
        self.data = data
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.compat.v1.placeholder(tf.float32, [None, data["x"].shape[1]])
            self.y = tf.compat.v1.placeholder(tf.int64, [None])
            net = tf.compat.v1.layers.dense(self.x, width, tf.nn.relu)
            self.logits = tf.compat.v1.layers.dense(net, 10)
            self.loss = tf.compat.v1.losses.sparse_softmax_cross_entropy(self.y, self.logits)
            self.train = tf.compat.v1.train.AdamOptimizer(rate).minimize(self.loss)
            self.right = tf.equal(tf.argmax(self.logits, 1), self.y)
            self.init = tf.compat.v1.global_variables_initializer()

    def sample(self, size):
        rows = np.random.randint(len(self.data["x"]), size=size)
        return {self.x: self.data["x"][rows], self.y: self.data["y"][rows]}

    def fit(self, steps, report):
        with tf.compat.v1.Session(graph=self.graph) as sess:
            sess.run(self.init)
            for step in trange(steps):
                sess.run(self.train, self.sample(64))
                if step % 20 == 0:
                    share = sess.run(tf.reduce_mean(tf.cast(self.right, tf.float32)), self.sample(512))  # finding: graph-growth
                    report(share, step)
            return self.score(sess)

    def score(self, sess):
        share = tf.reduce_mean(tf.cast(self.right, tf.float32))
        return sess.run(share, {self.x: self.data["x"], self.y: self.data["y"]})


def objective_for(data):
    def objective(trial):
        width = trial.suggest_int("width", 16, 256)
        rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
        return Trial(data, width, rate).fit(2000, trial.report)

    return objective


def importance(best, names):
    """How much the loss rises when a column is shuffled."""
    table = {}
    for column, name in enumerate(names):
        shuffled = best.data["x"].copy()
        np.random.shuffle(shuffled[:, column])
        with tf.compat.v1.Session(graph=best.graph) as sess:  # finding: session-per-step
            sess.run(best.init)
            table[name] = sess.run(best.loss, {best.x: shuffled, best.y: best.data["y"]})
    return table


if __name__ == "__main__":
    data = dict(np.load(sys.argv[1]))
    study = optuna.create_study(direction="maximize")
    study.optimize(objective_for(data), n_trials=100)
    best = Trial(data, study.best_params["width"], study.best_params["rate"])
    print(best.fit(10000, print), importance(best, open(sys.argv[2]).read().split()))
