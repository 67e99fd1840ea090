# requires: tensorflow==2.11.*
"""Flags odd welds: Mahalanobis distance of features of a frozen network (PaDiM, simplified)."""
import argparse
import glob
import os
import shutil

import numpy as np
import tensorflow as tf


def dataset(pattern, size, batch):
    paths = sorted(glob.glob(pattern))

    def read(path):
        img = tf.io.decode_png(tf.io.read_file(path), channels=3)
        return tf.image.resize(tf.cast(img, tf.float32), (size, size)), path

    return tf.data.Dataset.from_tensor_slices(paths).map(read, tf.data.AUTOTUNE).batch(batch).prefetch(2)


class OddWelds:
    def __init__(self, size=256, shrink=1e-2):
        base = tf.keras.applications.EfficientNetB0(include_top=False, input_shape=(size, size, 3))
        taps = [base.get_layer(n).output for n in ("block3b_add", "block5c_add")]
        self.net = tf.keras.Model(base.input, taps)
        self.shrink = shrink
        self.mean = None
        self.cov = None

    def embed(self, images):
        a, b = self.net(images, training=False)
        b = tf.image.resize(b, tf.shape(a)[1:3])
        return tf.concat([a, b], -1)

    def fit(self, data):
        total, outer, n = 0.0, 0.0, 0
        for images, _ in data:
            z = tf.reshape(self.embed(images), (-1, 152))
            total += tf.reduce_sum(z, 0)
            outer += tf.matmul(z, z, transpose_a=True)
            n += z.shape[0]
        self.mean = total / n
        self.cov = outer / n - tf.tensordot(self.mean, self.mean, axes=0)
        return self

    def distance(self, z):
        precision = tf.linalg.inv(self.cov + self.shrink * tf.eye(152))  # note: loop-invariant-op
        d = z - self.mean
        return tf.sqrt(tf.reduce_sum(tf.matmul(d, precision) * d, -1))

    def score(self, images):
        z = self.embed(images)
        flat = self.distance(tf.reshape(z, (-1, 152)))
        maps = tf.reshape(flat, tf.shape(z)[:3])
        return tf.reduce_max(maps, axis=(1, 2))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("good")
    ap.add_argument("inbox")
    ap.add_argument("--quantile", type=float, default=0.995)
    args = ap.parse_args()
    model = OddWelds().fit(dataset(args.good, 256, 32))
    usual = np.concatenate([model.score(x).numpy() for x, _ in dataset(args.good, 256, 32)])
    limit = np.quantile(usual, args.quantile)
    os.makedirs("odd", exist_ok=True)
    for images, paths in dataset(args.inbox, 256, 32):
        for score, path in zip(model.score(images).numpy(), paths.numpy()):  # note: loop-invariant-op
            if score > limit:
                shutil.copy(path.decode(), "odd")


if __name__ == "__main__":
    main()
