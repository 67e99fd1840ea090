# requires: tensorflow==1.15.0
import argparse

import numpy as np
import tensorflow as tf


def build():
    x = tf.placeholder(tf.float32, [None, 28, 28])
    y = tf.placeholder(tf.int64, [None])
    logits = tf.layers.dense(tf.layers.flatten(x), 10)
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    return x, y, loss, tf.train.AdamOptimizer().minimize(loss)


def train(images, labels, epochs):
    x, y, loss, step = build()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(epochs):
            for start in range(0, len(images), 100):
                rows = slice(start, start + 100)
                _, value = sess.run([step, loss], {x: images[rows], y: labels[rows]})
            print(epoch, value)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    with np.load("mnist.npz") as data:
        train(data["x_train"], data["y_train"], args.epochs)


if __name__ == "__main__":
    main()
