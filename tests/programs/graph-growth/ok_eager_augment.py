# requires: tensorflow==2.11.*
"""Keypoint training in TF 2 with a hand-written loop: operations in loops run and are gone."""
import argparse
from functools import lru_cache

import numpy as np
import tensorflow as tf

JOINTS = 17


@lru_cache(maxsize=None)
def gaussian_grid(size):
    return tf.stack(tf.meshgrid(tf.range(size, dtype=tf.float32), tf.range(size, dtype=tf.float32)), -1)


def heatmaps(points, size=64, sigma=2.0):
    grid = gaussian_grid(size)
    distance = tf.reduce_sum((grid[None, :, :, None] - points[:, None, None]) ** 2, -1)
    return tf.exp(-distance / (2 * sigma**2))


def build():
    base = tf.keras.applications.ResNet50(include_top=False, input_shape=(256, 256, 3))
    x = base.output
    for _ in range(3):
        x = tf.keras.layers.Conv2DTranspose(256, 4, 2, "same", activation="relu")(x)
    return tf.keras.Model(base.input, tf.keras.layers.Conv2D(JOINTS, 1)(x))


class Trainer:
    def __init__(self, lr, epochs):
        self.model = build()
        self.lr = tf.Variable(lr, trainable=False)
        self.optimizer = tf.keras.optimizers.Adam(lambda: self.lr)
        self.epochs = epochs

    @tf.function
    def step(self, images, points):
        with tf.GradientTape() as tape:
            predicted = self.model(images, training=True)
            loss = tf.reduce_mean((predicted - heatmaps(points)) ** 2)
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return loss

    def fit(self, data, valid):
        for epoch in range(self.epochs):
            self.lr.assign(1e-3 * 0.9**epoch)
            total = tf.constant(0.0)
            for images, points in data:
                images = tf.image.random_brightness(images, 0.1)
                total += self.step(images, points)
            print(f"epoch {epoch}: {float(total):.3f}, pck {self.pck(valid):.3f}")
            self.model.save_weights(f"out/pose_{epoch:03d}")

    def pck(self, data, limit=3.0):
        hits = []
        for images, points in data:
            maps = tf.reshape(self.model(images, training=False), (-1, 64 * 64, JOINTS))
            best = tf.argmax(maps, axis=1)
            found = tf.cast(tf.stack([best % 64, best // 64], -1), tf.float32)
            hits.append(tf.keras.backend.eval(tf.norm(found - points, axis=-1) < limit))
        return np.concatenate(hits).mean()


def dataset(pattern, batch):
    spec = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "points": tf.io.FixedLenFeature([JOINTS, 2], tf.float32),
    }

    def parse(record):
        example = tf.io.parse_single_example(record, spec)
        image = tf.image.resize(tf.image.decode_jpeg(example["image"], 3), (256, 256)) / 255.0
        return image, example["points"] / 4

    files = tf.data.Dataset.list_files(pattern)
    data = files.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)
    return data.map(parse, tf.data.AUTOTUNE).batch(batch, drop_remainder=True).prefetch(2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args()
    trainer = Trainer(args.lr, args.epochs)
    trainer.fit(dataset(args.folder + "/train-*", 32), dataset(args.folder + "/val-*", 32))
