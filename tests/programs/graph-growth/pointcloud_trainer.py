# requires: tensorflow==1.12
"""PointNet-like classifier of scanned parts.  python pointcloud_trainer.py parts.h5"""
from __future__ import print_function

import argparse
import os

import h5py
import numpy as np
import tensorflow as tf

NUM_CLASSES = 40


def dense_stack(x, widths, training, scope):
    with tf.variable_scope(scope):
        for width in widths:
            x = tf.layers.dense(x, width)
            x = tf.layers.batch_normalization(x, training=training)
            x = tf.nn.relu(x)
    return x


def count_correct(logits, labels):
    return tf.reduce_sum(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.int32))


class Trainer(object):
    def __init__(self, args):
        self.args = args
        self.points = tf.placeholder(tf.float32, [None, args.num_points, 3])
        self.labels = tf.placeholder(tf.int64, [None])
        self.training = tf.placeholder_with_default(False, [])
        features = dense_stack(self.points, (64, 128, 1024), self.training, "points")
        pooled = tf.reduce_max(features, axis=1)
        hidden = dense_stack(pooled, (512, 256), self.training, "global")
        self.logits = tf.layers.dense(hidden, NUM_CLASSES)
        self.loss = tf.losses.sparse_softmax_cross_entropy(self.labels, self.logits)
        self.hits = count_correct(self.logits, self.labels)

        self.step = tf.train.get_or_create_global_step()
        self.lr = tf.Variable(args.lr, trainable=False, name="lr")
        optimizer = tf.train.AdamOptimizer(self.lr)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            self.train_op = optimizer.minimize(self.loss, global_step=self.step)
        self.saver = tf.train.Saver(max_to_keep=3)
        self.writer = tf.summary.FileWriter(args.logdir, tf.get_default_graph())
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def warm_up(self, step):
        scale = min(1.0, (step + 1) / 1000.0)
        self.sess.run(tf.assign(self.lr, self.args.lr * scale))  # finding: graph-growth

    def log(self, step, **values):
        items = [tf.Summary.Value(tag=k, simple_value=v) for k, v in values.items()]
        self.writer.add_summary(tf.Summary(value=items), step)

    def feed(self, points, labels, training):
        return {self.points: points, self.labels: labels, self.training: training}

    def train_epoch(self, batches):
        for points, labels in batches:
            step = tf.train.global_step(self.sess, self.step)
            self.warm_up(step)
            _, loss, logits = self.sess.run(
                [self.train_op, self.loss, self.logits],
                self.feed(jitter(points), labels, True),
            )
            correct = self.sess.run(count_correct(logits, labels))  # finding: graph-growth
            self.log(step, loss=loss, accuracy=correct / float(len(labels)))

    def evaluate(self, batches):
        hits = total = 0
        confidence = []
        for points, labels in batches:
            h, logits = self.sess.run([self.hits, self.logits], self.feed(points, labels, False))
            hits += h
            total += len(labels)
            confidence.append(tf.nn.softmax(logits).eval(session=self.sess).max(axis=1))  # finding: graph-growth
        print("accuracy", hits / float(total), "confidence", np.concatenate(confidence).mean())

    def save(self, epoch):
        self.saver.save(self.sess, os.path.join(self.args.logdir, "model"), global_step=epoch)


def jitter(points, sigma=0.01):
    return points + np.clip(sigma * np.random.randn(*points.shape), -0.05, 0.05)


def batches(points, labels, size):
    order = np.random.permutation(len(points))
    for i in range(0, len(order), size):
        rows = order[i : i + size]
        yield points[rows], labels[rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--num_points", type=int, default=1024)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=250)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--logdir", default="log")
    args = parser.parse_args()
    with h5py.File(args.data, "r") as f:
        train = f["train_x"][:], f["train_y"][:].astype(np.int64)
        test = f["test_x"][:], f["test_y"][:].astype(np.int64)
    trainer = Trainer(args)
    for epoch in range(args.epochs):
        trainer.train_epoch(batches(train[0], train[1], args.batch_size))
        trainer.evaluate(batches(test[0], test[1], args.batch_size))
        trainer.save(epoch)


if __name__ == "__main__":
    main()
