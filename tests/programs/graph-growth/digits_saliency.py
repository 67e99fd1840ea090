# requires: tensorflow==1.15.*
"""Homework: iterative FGSM and saliency maps for an MNIST network."""
import argparse

import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data


def network(x, keep):
    net = tf.reshape(x, [-1, 28, 28, 1])
    net = tf.layers.conv2d(net, 32, 5, activation=tf.nn.relu, padding="same")
    net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.layers.conv2d(net, 64, 5, activation=tf.nn.relu, padding="same")
    net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.layers.flatten(net)
    net = tf.nn.dropout(tf.layers.dense(net, 1024, tf.nn.relu), keep_prob=keep)
    return tf.layers.dense(net, 10)


class Attack(object):
    def __init__(self, sess, x, keep, logits, eps=0.02, steps=20):
        self.sess = sess
        self.x = x
        self.keep = keep
        self.logits = logits
        self.eps = eps
        self.steps = steps

    def run(self, images, target):
        adversarial = images.copy()
        goal = np.tile(np.eye(10)[target], (len(images), 1))
        for step in range(self.steps):
            loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=goal, logits=self.logits)  # finding: graph-growth
            gradient = tf.gradients(loss, self.x)[0]  # finding: graph-growth
            g = self.sess.run(gradient, {self.x: adversarial, self.keep: 1.0})
            adversarial = np.clip(adversarial - self.eps * np.sign(g), 0, 1)
        return adversarial

    def fooled(self, images, target):
        predicted = self.sess.run(self.logits, {self.x: images, self.keep: 1.0})
        return np.mean(predicted.argmax(1) == target)


def saliency(sess, x, keep, logits, images):
    """The gradient of each class's logit: ten nodes, built once."""
    maps = [tf.gradients(logits[:, c], x)[0] for c in range(10)]
    return np.stack(sess.run(maps, {x: images, keep: 1.0}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--batch", type=int, default=50)
    args = parser.parse_args()
    mnist = input_data.read_data_sets("MNIST_data", one_hot=True)
    x = tf.placeholder(tf.float32, [None, 784])
    y = tf.placeholder(tf.float32, [None, 10])
    keep = tf.placeholder(tf.float32)
    logits = network(x, keep)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
    train = tf.train.AdamOptimizer(1e-4).minimize(loss)
    correct = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1)), tf.float32))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(args.steps):
            images, labels = mnist.train.next_batch(args.batch)
            sess.run(train, {x: images, y: labels, keep: 0.5})
            if i % 500 == 0:
                print(i, sess.run(correct, {x: mnist.test.images, y: mnist.test.labels, keep: 1.0}))
        attack = Attack(sess, x, keep, logits)
        test = mnist.test.images[:100]
        for target in range(10):
            adversarial = attack.run(test, target)
            print("target", target, "fooled", attack.fooled(adversarial, target))
        np.save("saliency.npy", saliency(sess, x, keep, logits, test))


if __name__ == "__main__":
    main()
