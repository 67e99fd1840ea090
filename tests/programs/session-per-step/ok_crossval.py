# requires: tensorflow==1.15.*
"""Five-fold cross-validation of an LSTM for seizure detection; a graph and a session per fold."""
import argparse
import glob
import os

import numpy as np
import tensorflow as tf
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold


class Detector(object):
    def __init__(self, steps, channels, units, lr):
        self.x = tf.placeholder(tf.float32, [None, steps, channels])
        self.y = tf.placeholder(tf.float32, [None])
        self.training = tf.placeholder_with_default(False, [])
        cell = tf.nn.rnn_cell.LSTMCell(units)
        _, state = tf.nn.dynamic_rnn(cell, self.x, dtype=tf.float32)
        h = tf.layers.dropout(state.h, 0.4, training=self.training)
        self.logit = tf.squeeze(tf.layers.dense(h, 1), -1)
        self.loss = tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=self.y, logits=self.logit)
        )
        self.train = tf.train.AdamOptimizer(lr).minimize(self.loss)
        self.init = tf.global_variables_initializer()


def batches(count, size, rng):
    order = rng.permutation(count)
    for start in range(0, count - size + 1, size):
        yield order[start:start + size]


def run_fold(train, test, args, seed):
    rng = np.random.RandomState(seed)
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(seed)
        net = Detector(train[0].shape[1], train[0].shape[2], args.units, args.lr)
    with tf.Session(graph=graph) as sess:
        sess.run(net.init)
        for epoch in range(args.epochs):
            losses = []
            for rows in batches(len(train[0]), args.batch, rng):
                feed = {net.x: train[0][rows], net.y: train[1][rows], net.training: True}
                loss, _ = sess.run([net.loss, net.train], feed)
                losses.append(loss)
            print("  epoch %d loss %.4f" % (epoch, np.mean(losses)))
        scores = []
        for start in range(0, len(test[0]), 512):
            scores.append(sess.run(net.logit, {net.x: test[0][start:start + 512]}))
    return roc_auc_score(test[1], np.concatenate(scores))


def load(folder):
    xs, ys, groups = [], [], []
    for number, path in enumerate(sorted(glob.glob(os.path.join(folder, "*.npz")))):
        blob = np.load(path)
        xs.append(blob["x"])
        ys.append(blob["y"])
        groups.append(np.full(len(blob["y"]), number))
    return np.concatenate(xs), np.concatenate(ys), np.concatenate(groups)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--units", type=int, default=96)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--folds", type=int, default=5)
    args = parser.parse_args()
    x, y, groups = load(args.folder)
    aucs = []
    for fold, (a, b) in enumerate(GroupKFold(args.folds).split(x, y, groups)):
        print("fold", fold)
        aucs.append(run_fold((x[a], y[a]), (x[b], y[b]), args, seed=fold))
    print("AUC %.3f +- %.3f" % (np.mean(aucs), np.std(aucs)))


if __name__ == "__main__":
    main()
