# requires: tensorflow==2.15.0
import argparse

import numpy as np
import tensorflow as tf


def scale(features, target):
    features = tf.math.log1p(features)
    features = tf.clip_by_value(features, -5.0, 5.0)
    return features, tf.math.sqrt(target)


def load(path):
    with np.load(path) as arrays:
        return arrays["x"].astype("float32"), arrays["y"].astype("float32")


def build(path, batch_size):
    x, y = load(path)
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    ds = ds.cache()
    ds = ds.map(scale, num_parallel_calls=8)  # finding: map-before-batch
    ds = ds.shuffle(10 * batch_size)
    ds = ds.repeat(2)
    ds = ds.batch(batch_size, drop_remainder=True)
    ds = ds.prefetch(1)
    return ds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("npz")
    parser.add_argument("-b", "--batch-size", type=int, default=256)
    args = parser.parse_args()
    model = tf.keras.Sequential([tf.keras.layers.Dense(64, "relu"), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(build(args.npz, args.batch_size))


if __name__ == "__main__":
    main()
