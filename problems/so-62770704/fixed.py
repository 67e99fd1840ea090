"""Training with a hand-written loop: waves are centred, scaled and tapered before each step."""

import numpy as np
import tensorflow as tf

SAMPLES = 768
LENGTH = 64
BATCH = 64
TAPER = tf.signal.hann_window(LENGTH)


def make_recordings(seed=31):
    rng = np.random.default_rng(seed)
    pitch = rng.integers(1, 5, SAMPLES)
    time = np.linspace(0.0, 1.0, LENGTH)
    waves = np.sin(2 * np.pi * pitch[:, None] * time)
    offset = rng.normal(0.0, 2.0, (SAMPLES, 1))
    noise = rng.normal(0.0, 0.2, (SAMPLES, LENGTH))
    return (waves + offset + noise).astype(np.float32), (pitch - 1).astype(np.int32)


def prepare(batch):
    centred = batch - tf.reduce_mean(batch, axis=1, keepdims=True)
    scaled = centred / (tf.math.reduce_std(centred, axis=1, keepdims=True) + 1e-6)
    return tf.clip_by_value(scaled, -3.0, 3.0) * TAPER


class Classifier(tf.Module):
    def __init__(self):
        self.inner = tf.Variable(tf.random.stateless_normal([LENGTH, 24], [1, 2]) * 0.1)
        self.outer = tf.Variable(tf.random.stateless_normal([24, 4], [3, 4]) * 0.1)

    @tf.function
    def train_step(self, waves, labels):
        with tf.GradientTape() as tape:
            logits = tf.nn.relu(waves @ self.inner) @ self.outer
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        weights = [self.inner, self.outer]
        for weight, slope in zip(weights, tape.gradient(loss, weights)):
            weight.assign_sub(0.05 * slope)
        return loss


def main():
    waves, labels = make_recordings()
    classifier = Classifier()
    losses = []
    for start in range(0, SAMPLES, BATCH):
        batch = prepare(tf.constant(waves[start : start + BATCH]))
        losses.append(float(classifier.train_step(batch, labels[start : start + BATCH])))
    return losses


if __name__ == "__main__":
    print(main())
