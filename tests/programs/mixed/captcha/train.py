import os
import random

import numpy as np
import tensorflow as tf
from captcha.image import ImageCaptcha
from PIL import Image

CHARS = "0123456789abcdefghijklmnopqrstuvwxyz"
HEIGHT, WIDTH, COUNT = 60, 160, 4
maker = ImageCaptcha(WIDTH, HEIGHT)


def gray(image):
    return np.mean(image, -1) if image.ndim > 2 else image


def vector(text):
    out = np.zeros(COUNT * len(CHARS))
    for i, c in enumerate(text):
        out[i * len(CHARS) + CHARS.index(c)] = 1
    return out


def next_batch(size):
    xs = np.zeros([size, HEIGHT * WIDTH])
    ys = np.zeros([size, COUNT * len(CHARS)])
    for i in range(size):
        text = "".join(random.choice(CHARS) for _ in range(COUNT))
        image = np.array(Image.open(maker.generate(text)))
        xs[i] = gray(image).flatten() / 255
        ys[i] = vector(text)
    return xs, ys


def network(x, keep):
    net = tf.reshape(x, [-1, HEIGHT, WIDTH, 1])
    for width in (32, 64, 64):
        net = tf.layers.conv2d(net, width, 3, padding="same", activation=tf.nn.relu)
        net = tf.layers.max_pooling2d(net, 2, 2, padding="same")
    net = tf.layers.dense(tf.layers.flatten(net), 1024, tf.nn.relu)
    return tf.layers.dense(tf.nn.dropout(net, keep), COUNT * len(CHARS))


def train():
    x = tf.placeholder(tf.float32, [None, HEIGHT * WIDTH])
    y = tf.placeholder(tf.float32, [None, COUNT * len(CHARS)])
    keep = tf.placeholder(tf.float32)
    logits = network(x, keep)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=y))
    step = tf.train.AdamOptimizer(1e-3).minimize(loss)
    picked = tf.argmax(tf.reshape(logits, [-1, COUNT, len(CHARS)]), 2)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(picked, tf.argmax(tf.reshape(y, [-1, COUNT, len(CHARS)]), 2)), tf.float32))
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        i = 0
        while True:
            xs, ys = next_batch(64)
            sess.run(step, {x: xs, y: ys, keep: 0.75})
            if i % 100 == 0:
                xs, ys = next_batch(100)
                value = sess.run(accuracy, {x: xs, y: ys, keep: 1.0})
                print(i, value)
                if value > 0.9:
                    saver.save(sess, os.path.join("model", "crack"), global_step=i)
                    break
            i += 1


def crack(image):
    x = tf.placeholder(tf.float32, [None, HEIGHT * WIDTH])
    keep = tf.placeholder(tf.float32)
    logits = network(x, keep)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, tf.train.latest_checkpoint("model"))
        return sess.run(tf.argmax(tf.reshape(logits, [-1, COUNT, len(CHARS)]), 2), {x: [image], keep: 1})


if __name__ == "__main__":
    train()
