# -*- coding: utf-8 -*-
"""Height maps of dunes from single photographs."""
from __future__ import print_function

import argparse
import os
import sys

import numpy as np
import tensorflow as tf
from tqdm import tqdm


def conv(x, depth, name, stride=1):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [3, 3, x.get_shape()[-1], depth])
        b = tf.get_variable("b", [depth], initializer=tf.zeros_initializer())
        return tf.nn.relu(tf.nn.conv2d(x, w, [1, stride, stride, 1], "SAME") + b)


class Dunes(object):
    def __init__(self, size=128):
        self.photo = tf.placeholder(tf.float32, [None, size, size, 3], "photo")
        self.truth = tf.placeholder(tf.float32, [None, size, size, 1], "truth")
        x = conv(self.photo, 32, "conv1")
        x = conv(x, 64, "conv2")
        self.heights = tf.layers.conv2d(x, 1, 3, padding="same", name="heights")
        self.loss = tf.reduce_mean(tf.abs(self.heights - self.truth))

    def save(self, sess, folder, step):
        tf.train.Saver().save(sess, os.path.join(folder, "dunes"), step)  # finding: graph-growth

    def gradient_error(self, sess, photos, truth):
        heights = sess.run(self.heights, {self.photo: photos})
        dy, dx = tf.image.image_gradients(tf.constant(heights - truth))  # finding: graph-growth
        return sess.run(tf.reduce_mean(tf.sqrt(dy ** 2 + dx ** 2)))  # finding: graph-growth


def read_pairs(folder, names):
    for name in names:
        pair = np.load(os.path.join(folder, name))
        yield pair["photo"], pair["height"]


def in_batches(pairs, size):
    photos, heights = [], []
    for photo, height in pairs:
        photos.append(photo)
        heights.append(height)
        if len(photos) == size:
            yield np.array(photos), np.array(heights)
            photos, heights = [], []


def train(args):
    model = Dunes()
    optimizer = tf.train.AdamOptimizer(args.rate)
    step = optimizer.minimize(model.loss)
    names = sorted(os.listdir(args.folder))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(args.epochs):
            for photos, heights in tqdm(in_batches(read_pairs(args.folder, names[50:]), 16)):
                feed = {model.photo: photos, model.truth: heights}
                _, loss = sess.run([step, model.loss], feed_dict=feed)
            errors = [
                model.gradient_error(sess, photos, heights)
                for photos, heights in in_batches(read_pairs(args.folder, names[:50]), 10)
            ]
            print(epoch, loss, np.mean(errors), file=sys.stderr)
            model.save(sess, args.out, epoch)


def predict(args):
    model = Dunes()
    names = sorted(os.listdir(args.folder))

    def heights_of(photo):
        sess = tf.Session()  # finding: session-per-step
        tf.train.Saver().restore(sess, tf.train.latest_checkpoint(args.out))  # finding: graph-growth
        return sess.run(model.heights, {model.photo: photo[None]})[0]

    for name, (photo, _) in zip(names, read_pairs(args.folder, names)):
        np.save(os.path.join(args.out, name), heights_of(photo))


COMMANDS = {"train": train, "predict": predict}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=sorted(COMMANDS))
    parser.add_argument("folder")
    parser.add_argument("--out", default="out")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--epochs", type=int, default=200)
    arguments = parser.parse_args()
    COMMANDS[arguments.command](arguments)
