# requires: tensorflow==1.15.*
"""Code for "Sequence tagging of radiology reports", cross-validation and grid over two settings.

Usage: python ok_cross_validation.py --data reports.npz --folds 10 --out results/
"""
import argparse
import itertools
import json
import os

import numpy as np
import tensorflow as tf


class Config(object):
    def __init__(self, hidden, dropout, epochs=30, batch=64, lr=1e-3):
        self.hidden = hidden
        self.dropout = dropout
        self.epochs = epochs
        self.batch = batch
        self.lr = lr

    @property
    def name(self):
        return 'h%d_d%.1f' % (self.hidden, self.dropout)


class Tagger(object):
    def __init__(self, config, n_words, n_tags):
        self.words = tf.placeholder(tf.int32, [None, None])
        self.tags = tf.placeholder(tf.int32, [None, None])
        self.lengths = tf.placeholder(tf.int32, [None])
        self.keep = tf.placeholder_with_default(1.0, [])
        table = tf.get_variable('words', [n_words, 100])
        x = tf.nn.dropout(tf.nn.embedding_lookup(table, self.words), self.keep)
        fw = tf.nn.rnn_cell.LSTMCell(config.hidden)
        bw = tf.nn.rnn_cell.LSTMCell(config.hidden)
        outs, _ = tf.nn.bidirectional_dynamic_rnn(fw, bw, x, self.lengths, dtype=tf.float32)
        self.logits = tf.layers.dense(tf.concat(outs, -1), n_tags)
        mask = tf.sequence_mask(self.lengths, dtype=tf.float32)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.tags, logits=self.logits)
        self.loss = tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)
        self.pred = tf.argmax(self.logits, -1)
        optimizer = tf.train.AdamOptimizer(config.lr)
        grads, variables = zip(*optimizer.compute_gradients(self.loss))
        grads, _ = tf.clip_by_global_norm(grads, 5.0)
        self.train_op = optimizer.apply_gradients(zip(grads, variables))

    def feed(self, data, rows, keep=1.0):
        return {
            self.words: data['words'][rows],
            self.tags: data['tags'][rows],
            self.lengths: data['lengths'][rows],
            self.keep: keep,
        }


def minibatches(rows, size, rng):
    rows = rng.permutation(rows)
    for i in range(0, len(rows), size):
        yield rows[i:i + size]


def accuracy(sess, model, data, rows):
    right = total = 0
    for i in range(0, len(rows), 256):
        part = rows[i:i + 256]
        pred = sess.run(model.pred, model.feed(data, part))
        for p, t, n in zip(pred, data['tags'][part], data['lengths'][part]):
            right += int((p[:n] == t[:n]).sum())
            total += int(n)
    return right / max(total, 1)


def run_fold(config, data, train_rows, valid_rows, save_path):
    """A fold trains a model from nothing, so it has a graph and a session of its own."""
    rng = np.random.RandomState(0)
    best = 0.0
    with tf.Graph().as_default(), tf.Session() as sess:
        model = Tagger(config, int(data['n_words']), int(data['n_tags']))
        saver = tf.train.Saver(max_to_keep=1)
        sess.run(tf.global_variables_initializer())
        for epoch in range(config.epochs):
            for rows in minibatches(train_rows, config.batch, rng):
                sess.run(model.train_op, model.feed(data, rows, 1 - config.dropout))
            score = accuracy(sess, model, data, valid_rows)
            if score > best:
                best = score
                saver.save(sess, save_path)
    return best


def cross_validate(config, data, folds, out):
    order = np.random.RandomState(7).permutation(len(data['words']))
    parts = np.array_split(order, folds)
    scores = []
    for k in range(folds):
        train_rows = np.concatenate([p for i, p in enumerate(parts) if i != k])
        path = os.path.join(out, config.name, 'fold%d' % k, 'model')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        scores.append(run_fold(config, data, train_rows, parts[k], path))
        print(config.name, 'fold', k, scores[-1])
    return scores


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--data', required=True)
    parser.add_argument('--folds', type=int, default=10)
    parser.add_argument('--out', default='results')
    args = parser.parse_args()
    data = dict(np.load(args.data))
    table = {}
    for hidden, dropout in itertools.product([100, 200], [0.3, 0.5]):
        config = Config(hidden, dropout)
        table[config.name] = cross_validate(config, data, args.folds, args.out)
    with open(os.path.join(args.out, 'table.json'), 'w') as f:
        json.dump(table, f, indent=2)


if __name__ == '__main__':
    main()
