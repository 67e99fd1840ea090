# requires: tensorflow==2.10.*
"""Bayesian regression by SGLD, eager TF 2; nothing here builds a graph by hand."""
import argparse

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K


class Regression(tf.Module):
    def __init__(self, dim, noise=0.1):
        super().__init__()
        self.w = tf.Variable(tf.zeros([dim, 1]))
        self.log_scale = tf.Variable(0.0)
        self.noise = noise

    def __call__(self, x):
        return x @ self.w

    def neg_log_posterior(self, x, y, total):
        error = tf.reduce_sum(tf.square(self(x) - y)) / (2 * self.noise ** 2)
        prior = tf.reduce_sum(tf.square(self.w)) / 2
        return error * total / tf.cast(tf.shape(x)[0], tf.float32) + prior


class Sampler:
    def __init__(self, model, rate):
        self.model = model
        self.rate = tf.Variable(rate, trainable=False)

    @tf.function
    def step(self, x, y, total):
        with tf.GradientTape() as tape:
            loss = self.model.neg_log_posterior(x, y, total)
        gradient = tape.gradient(loss, self.model.w)
        noise = tf.random.normal(tf.shape(self.model.w)) * tf.sqrt(2 * self.rate)
        self.model.w.assign_sub(self.rate * gradient - noise)
        return loss

    def run(self, data, total, epochs):
        samples = []
        for epoch in range(epochs):
            for x, y in data:
                loss = self.step(x, y, total)
            self.rate.assign(self.rate * 0.98)
            samples.append(self.model.w.numpy())
            print(epoch, float(loss), K.get_value(self.rate))
        return np.stack(samples)


def coverage(samples, x, y):
    hits = 0
    for row, target in zip(x, y):
        predictions = tf.linalg.matvec(samples[:, :, 0], row)
        low, high = np.percentile(predictions.numpy(), [5, 95])
        hits += low <= target[0] <= high
    return hits / len(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=200)
    args = parser.parse_args()
    blob = np.load(args.data)
    x, y = blob["x"].astype(np.float32), blob["y"].astype(np.float32)[:, None]
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(x)).batch(128)
    sampler = Sampler(Regression(x.shape[1]), 1e-6)
    samples = sampler.run(data, tf.constant(float(len(x))), args.epochs)
    print("coverage", coverage(samples[-100:], x, y))


if __name__ == "__main__":
    main()
