# requires: tensorflow==1.13.*
"""Fine-tunes MobileNet on the recycling images; augmentation with tf.image."""
import os
import random

import cv2
import numpy as np
import tensorflow as tf
import tensorflow_hub as hub

CLASSES = sorted(os.listdir("recycling/train"))
SIZE = 224


def files(split):
    out = []
    for label, name in enumerate(CLASSES):
        folder = os.path.join("recycling", split, name)
        out += [(os.path.join(folder, f), label) for f in os.listdir(folder)]
    random.shuffle(out)
    return out


def load(path):
    image = cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)
    return cv2.resize(image, (SIZE, SIZE)).astype(np.float32) / 255.0


class Augment:
    def __init__(self, session):
        self.session = session
        self.image = tf.placeholder(tf.float32, [None, SIZE, SIZE, 3])
        self.flipped = tf.image.random_flip_left_right(self.image)

    def flip(self, batch):
        return self.session.run(self.flipped, {self.image: batch})

    def jitter(self, batch):
        delta = random.uniform(-0.1, 0.1)
        bright = tf.image.adjust_brightness(self.image, delta)  # finding: graph-growth
        contrast = tf.image.adjust_contrast(bright, random.uniform(0.8, 1.2))  # finding: graph-growth
        return self.session.run(contrast, {self.image: batch})


def build():
    images = tf.placeholder(tf.float32, [None, SIZE, SIZE, 3])
    labels = tf.placeholder(tf.int64, [None])
    module = hub.Module("https://tfhub.dev/google/imagenet/mobilenet_v2_100_224/feature_vector/2", trainable=False)
    logits = tf.layers.dense(module(images), len(CLASSES))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf.train.AdamOptimizer(1e-3).minimize(loss)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
    return images, labels, loss, train, accuracy


def batches(items, size=32):
    for i in range(0, len(items), size):
        part = items[i:i + size]
        yield np.stack([load(p) for p, _ in part]), np.array([l for _, l in part])


def main():
    images, labels, loss, train, accuracy = build()
    with tf.Session() as sess:
        augment = Augment(sess)
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for epoch in range(10):
            for x, y in batches(files("train")):
                x = augment.jitter(augment.flip(x))
                value, _ = sess.run([loss, train], {images: x, labels: y})
            scores = [sess.run(accuracy, {images: x, labels: y}) for x, y in batches(files("test"))]
            print(epoch, value, np.mean(scores))


if __name__ == "__main__":
    main()
