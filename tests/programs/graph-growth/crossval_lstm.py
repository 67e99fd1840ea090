# requires: tensorflow>=1.4,<2
"""Cross validation of an LSTM on sensor windows (activity recognition)."""
from __future__ import print_function

import sys

import numpy as np
import tensorflow as tf
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

N_STEPS, N_INPUT, N_CLASSES, N_HIDDEN = 128, 9, 6, 32


class Config(object):
    epochs = 40
    batch_size = 1500
    learning_rate = 0.0025
    l2 = 0.0015


def lstm(x):
    x = tf.unstack(x, N_STEPS, 1)
    cells = [tf.contrib.rnn.BasicLSTMCell(N_HIDDEN, forget_bias=1.0) for _ in range(2)]
    outputs, _ = tf.contrib.rnn.static_rnn(tf.contrib.rnn.MultiRNNCell(cells), x, dtype=tf.float32)
    return tf.layers.dense(outputs[-1], N_CLASSES)


def one_hot(labels):
    return np.eye(N_CLASSES)[labels.astype(int)]


def batches(x, y, size):
    order = np.random.permutation(len(x))
    for start in range(0, len(x) - size + 1, size):
        take = order[start:start + size]
        yield x[take], y[take]


def main(path):
    data = np.load(path)
    features, labels = data["x"], data["y"]
    config = Config()

    x = tf.placeholder(tf.float32, [None, N_STEPS, N_INPUT])
    y = tf.placeholder(tf.float32, [None, N_CLASSES])
    logits = lstm(x)
    penalty = config.l2 * tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits)) + penalty
    train_op = tf.train.AdamOptimizer(config.learning_rate).minimize(loss)

    scores = []
    folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
    with tf.Session() as sess:
        for fold, (train, test) in enumerate(folds.split(features, labels)):
            sess.run(tf.global_variables_initializer())  # note: graph-growth
            for epoch in range(config.epochs):
                for bx, by in batches(features[train], labels[train], config.batch_size):
                    sess.run(train_op, feed_dict={x: bx, y: one_hot(by)})
                prediction = tf.argmax(tf.nn.softmax(logits), 1)  # finding: graph-growth
                guess = prediction.eval(feed_dict={x: features[test]}, session=sess)
                print(fold, epoch, "f1 %.4f" % f1_score(labels[test], guess, average="macro"))
            scores.append(f1_score(labels[test], guess, average="macro"))
    print("f1 %.4f +- %.4f" % (np.mean(scores), np.std(scores)))


if __name__ == "__main__":
    main(sys.argv[1])
