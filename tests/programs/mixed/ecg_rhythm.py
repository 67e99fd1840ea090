"""12-lead ECG rhythm classification, PTB-XL style arrays (N, 1000, 12)."""
from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

AUTO = tf.data.AUTOTUNE
N_CLASSES = 5


@dataclass(frozen=True)
class Stats:
    mu: np.ndarray
    sd: np.ndarray

    @classmethod
    def fit(cls, x: np.ndarray) -> "Stats":
        return cls(x.mean((0, 1), keepdims=False).astype("float32"), x.std((0, 1)).astype("float32") + 1e-6)


def whiten(stats: Stats):
    mu, sd = tf.constant(stats.mu), tf.constant(stats.sd)

    def fn(sig, y):
        sig = (tf.cast(sig, tf.float32) - mu) / sd
        return tf.clip_by_value(sig, -8.0, 8.0), tf.one_hot(y, N_CLASSES)

    return fn


def per_record(sig, y):
    # amplitude differs between carts: scale with the record's own peak
    sig = tf.cast(sig, tf.float32)
    return sig / (tf.reduce_max(tf.abs(sig)) + 1e-6), y


def jitter(sig, y):
    shift = tf.random.uniform([], -100, 100, tf.int32)
    return tf.roll(sig, shift, axis=0), y


def make_train(x, y, stats, bs):
    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(y))
    ds = ds.map(whiten(stats), num_parallel_calls=AUTO)  # finding: map-before-batch
    return ds.batch(bs, drop_remainder=True).prefetch(AUTO)


def make_ssl(x, y, bs):
    """self-supervised pre-training: own scale, random shift of each record"""
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    ds = ds.map(per_record, num_parallel_calls=AUTO)
    ds = ds.map(jitter, num_parallel_calls=AUTO)
    return ds.batch(bs).prefetch(AUTO)


def make_eval(x, y, stats, bs):
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(bs)
    return ds.map(whiten(stats), num_parallel_calls=AUTO).prefetch(AUTO)


def resnet1d(width=64, blocks=4):
    inp = tf.keras.Input((1000, 12))
    h = tf.keras.layers.Conv1D(width, 15, padding="same")(inp)
    for b in range(blocks):
        r = h
        h = tf.keras.layers.BatchNormalization()(h)
        h = tf.keras.layers.ReLU()(h)
        h = tf.keras.layers.Conv1D(width, 7, padding="same")(h)
        h = tf.keras.layers.Add()([h, r])
        h = tf.keras.layers.MaxPooling1D(2)(h)
    h = tf.keras.layers.GlobalAveragePooling1D()(h)
    return tf.keras.Model(inp, tf.keras.layers.Dense(N_CLASSES)(h))


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("npz")
    p.add_argument("-b", "--batch", type=int, default=256)
    p.add_argument("-e", "--epochs", type=int, default=60)
    p.add_argument("--ssl", action="store_true")
    a = p.parse_args()
    z = np.load(a.npz, mmap_mode="r")
    st = Stats.fit(z["x_train"])
    net = resnet1d()
    net.compile("adam", tf.keras.losses.CategoricalCrossentropy(from_logits=True), ["accuracy"])
    if a.ssl:
        for sig, _ in make_ssl(z["x_train"], z["y_train"], a.batch):
            net(sig, training=True)
    net.fit(make_train(z["x_train"], z["y_train"], st, a.batch),
            validation_data=make_eval(z["x_val"], z["y_val"], st, a.batch), epochs=a.epochs)
