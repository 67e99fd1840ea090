# requires: tensorflow==1.12.*
"""Reads the meter numbers from the photos of a folder."""
import csv
import os
import sys

import cv2
import numpy as np
import tensorflow as tf

CHARS = "0123456789."
MODEL = "models/meter-12000"


def network(x):
    h = tf.layers.conv2d(x, 32, 3, padding="same", activation=tf.nn.relu, name="c1")
    h = tf.layers.max_pooling2d(h, 2, 2)
    h = tf.layers.conv2d(h, 64, 3, padding="same", activation=tf.nn.relu, name="c2")
    h = tf.layers.max_pooling2d(h, (2, 1), (2, 1))
    h = tf.transpose(h, [0, 2, 1, 3])
    h = tf.reshape(h, [-1, 64, 8 * 64])
    return tf.layers.dense(h, len(CHARS) + 1, name="out")


image = tf.placeholder(tf.float32, [None, 32, 128, 1])
logits = network(image)
length = tf.fill([tf.shape(image)[0]], 64)
decoded, _ = tf.nn.ctc_greedy_decoder(tf.transpose(logits, [1, 0, 2]), length)
dense = tf.sparse_tensor_to_dense(decoded[0], default_value=-1)
saver = tf.train.Saver()


def prepare(path):
    gray = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
    gray = cv2.equalizeHist(gray)
    return cv2.resize(gray, (128, 32)).astype(np.float32)[None, :, :, None] / 255.0


def predict(x):
    with tf.Session() as sess:  # finding: session-per-step
        saver.restore(sess, MODEL)
        ids = sess.run(dense, feed_dict={image: x})[0]
    return "".join(CHARS[i] for i in ids if i >= 0)


def plausible(text, last):
    try:
        return float(text) >= last
    except ValueError:
        return False


def main(folder, out):
    rows, last = [], 0.0
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".jpg"):
            continue
        text = predict(prepare(os.path.join(folder, name)))
        ok = plausible(text, last)
        if ok:
            last = float(text)
        rows.append((name, text, ok))
    with open(out, "w") as f:
        csv.writer(f).writerows(rows)
    print("%d read, %d doubtful" % (len(rows), sum(not r[2] for r in rows)))


if __name__ == "__main__":
    main(*sys.argv[1:3])
