# requires: tensorflow==2.13.0
"""Scents of orchids; what looks like repeated work happens once, while a step is traced."""
import math

import numpy as np
import tensorflow as tf


class Position(tf.keras.layers.Layer):
    """Sines and cosines, computed where they are needed."""

    def call(self, inputs):
        length, width = inputs.shape[1], inputs.shape[2]
        rates = tf.exp(tf.range(0, width, 2, dtype=tf.float32) * -(math.log(1e4) / width))
        angles = tf.range(length, dtype=tf.float32)[:, None] * rates
        return inputs + tf.concat([tf.sin(angles), tf.cos(angles)], -1)


def smoother(width):
    kernel = tf.signal.hann_window(width)
    return (kernel / tf.reduce_sum(kernel))[:, None, None]


class Training:
    def __init__(self, model, target):
        self.model = model
        self.optimizer = tf.keras.optimizers.Adam()
        self.target = target
        self.kernel = smoother(9)

    @tf.function
    def step(self, scents, labels):
        smooth = tf.nn.conv1d(scents, smoother(5), 1, "SAME")
        prior = tf.math.softmax(tf.constant(self.target))
        with tf.GradientTape() as tape:
            logits = self.model(smooth, training=True)
            guess = tf.reduce_mean(tf.nn.softmax(logits), 0)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
            loss += tf.reduce_sum(prior * tf.math.log(prior / guess))
        slopes = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(slopes, self.model.trainable_variables))
        return loss

    def run(self, batches):
        for scents, labels in batches:
            loss = self.step(tf.nn.conv1d(scents, self.kernel, 1, "SAME"), labels)
        return loss


def bands(count):
    """A filter for each band; the loop builds them."""
    filters = []
    for low in np.linspace(0.1, 2.0, count):
        window = tf.signal.hamming_window(33)
        filters.append(tf.sin(low * tf.range(33.0)) * window)  # finding: per-slice-op
    return tf.stack(filters)


def annealed(scents, start=5.0):
    """Draws anew in each turn, and cools."""
    heat = start
    while heat > 0.1:  # finding: eager-loop
        noise = tf.random.normal(scents.shape)
        scents = scents + heat * noise * tf.reduce_max(scents)
        heat *= 0.97
    return scents


def tried(model, sizes=(1, 2, 4)):
    for size in sizes:
        blank = tf.zeros((8, 200, 16))
        print(size, tf.shape(model(tf.repeat(blank, size, 0))))


def main():
    model = tf.keras.Sequential([
        Position(), tf.keras.layers.Conv1D(64, 5), tf.keras.layers.GlobalMaxPool1D(),
        tf.keras.layers.Dense(12),
    ])
    with np.load("orchids.npz") as file:
        data = tf.data.Dataset.from_tensor_slices((file["scents"], file["labels"]))
    training = Training(model, np.zeros(12, "f4"))
    for _ in range(30):
        print(float(training.run(data.shuffle(1000).batch(32).prefetch(1))))
    tried(model)
    annealed(bands(16)[None])


if __name__ == "__main__":
    main()
