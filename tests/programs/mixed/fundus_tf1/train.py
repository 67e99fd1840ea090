from __future__ import print_function

import argparse
import time

import numpy as np
import tensorflow as tf

from inputs import RecordSource, fast_dataset


def backbone(images, training):
    net = images
    for i, width in enumerate((32, 64, 128, 256)):
        net = tf.layers.conv2d(net, width, 3, padding="same", name="conv%d" % i)
        net = tf.layers.batch_normalization(net, training=training)
        net = tf.nn.relu(net)
        net = tf.layers.max_pooling2d(net, 2, 2)
    return tf.reduce_mean(net, [1, 2])


class Screening(object):
    def __init__(self, args):
        self.args = args
        self.train_it = RecordSource(args.data, "train").dataset(args.batch).make_one_shot_iterator()
        self.images, self.labels = self.train_it.get_next()
        self.training = tf.placeholder_with_default(True, [])
        feats = backbone(self.images, self.training)
        self.logits = tf.layers.dense(feats, 5)
        self.loss = tf.losses.softmax_cross_entropy(self.labels, self.logits)
        self.global_step = tf.train.get_or_create_global_step()
        self.rate = tf.Variable(1e-3, trainable=False, name="rate")
        self.rate_in = tf.placeholder(tf.float32, [])
        self.set_rate = self.rate.assign(self.rate_in)
        opt = tf.train.AdamOptimizer(self.rate)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            self.step = opt.minimize(self.loss, global_step=self.global_step)
        self.summary = tf.summary.merge([tf.summary.scalar("loss", self.loss)])

    def kappa(self, sess):
        predicted = tf.argmax(self.logits, 1)  # finding: graph-growth
        actual = tf.argmax(self.labels, 1)  # finding: graph-growth
        p, a = sess.run([predicted, actual], {self.training: False})
        return np.mean(p == a)

    def decay(self, sess, factor):
        rate = sess.run(self.rate)
        sess.run(self.set_rate, {self.rate_in: rate * factor})

    def fit(self):
        config = tf.ConfigProto()
        config.gpu_options.allow_growth = True
        writer = tf.summary.FileWriter(self.args.logdir)
        with tf.Session(config=config) as sess:
            sess.run(tf.global_variables_initializer())
            started = time.time()
            for it in range(self.args.steps):
                _, loss, summary = sess.run([self.step, self.loss, self.summary])
                writer.add_summary(summary, it)
                if it % 500 == 0:
                    print(it, loss, time.time() - started)
                    print("agreement", self.kappa(sess))
                if it in (20000, 40000):
                    self.decay(sess, 0.1)
                if it % 100 == 0:
                    norm = sess.run(tf.global_norm(tf.trainable_variables()))  # finding: graph-growth
                    print("norm %.3f" % norm)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="/data/fundus")
    parser.add_argument("--logdir", default="logs")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--steps", type=int, default=60000)
    Screening(parser.parse_args()).fit()


if __name__ == "__main__":
    main()
