# requires: tensorflow==1.4.*
"""Train a two-layer net on MNIST, watching the test error after each hundred steps."""
from __future__ import print_function

import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

LOG_DIR = "/tmp/mnist_dropout"
BATCH = 100
STEPS = 20000


def weights(shape, name):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1), name=name)


def biases(shape, name):
    return tf.Variable(tf.constant(0.1, shape=shape), name=name)


x = tf.placeholder(tf.float32, [None, 784], name="x")
y = tf.placeholder(tf.float32, [None, 10], name="y")
keep = tf.placeholder(tf.float32, name="keep")

w1, b1 = weights([784, 1024], "w1"), biases([1024], "b1")
w2, b2 = weights([1024, 1024], "w2"), biases([1024], "b2")
w3, b3 = weights([1024, 10], "w3"), biases([10], "b3")

h1 = tf.nn.dropout(tf.nn.relu(tf.matmul(x, w1) + b1), keep)
h2 = tf.nn.dropout(tf.nn.relu(tf.matmul(h1, w2) + b2), keep)
logits = tf.matmul(h2, w3) + b3

loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
train_op = tf.train.AdamOptimizer(1e-4).minimize(loss)
correct = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
saver = tf.train.Saver(max_to_keep=3)


def test_accuracy(data, checkpoint):
    """Accuracy of a saved model over the test set."""
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    sess = tf.Session(config=config)  # finding: session-per-step
    saver.restore(sess, checkpoint)
    total = []
    for start in range(0, 10000, 1000):
        feed = {
            x: data.test.images[start:start + 1000],
            y: data.test.labels[start:start + 1000],
            keep: 1.0,
        }
        total.append(sess.run(accuracy, feed_dict=feed))
    sess.close()
    return np.mean(total)


def train(data, keep_prob):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(1, STEPS + 1):
            images, labels = data.train.next_batch(BATCH)
            _, value = sess.run([train_op, loss], {x: images, y: labels, keep: keep_prob})
            if step % 100 == 0:
                path = saver.save(sess, os.path.join(LOG_DIR, "model.ckpt"), global_step=step)
                print("step %d loss %.4f test %.4f" % (step, value, test_accuracy(data, path)))
                sys.stdout.flush()


def main(_):
    if not os.path.isdir(LOG_DIR):
        os.makedirs(LOG_DIR)
    data = input_data.read_data_sets("/tmp/mnist", one_hot=True)
    train(data, keep_prob=0.5)


if __name__ == "__main__":
    tf.app.run()
