# requires: tensorflow>=2.10
"""Domain adaptation with a maximum mean discrepancy in a Keras callback and a custom loop."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


def pairwise(a, b):
    return tf.reduce_sum((a[:, None] - b[None]) ** 2, -1)


def kernel(a, b, gamma):
    return tf.exp(-gamma * pairwise(a, b))


def mmd(a, b, gamma=1.0):
    return (
        tf.reduce_mean(kernel(a, a, gamma))
        + tf.reduce_mean(kernel(b, b, gamma))
        - 2 * tf.reduce_mean(kernel(a, b, gamma))
    )


def build(width):
    return keras.Sequential([keras.layers.Dense(width, "relu"), keras.layers.Dense(width)])


class Monitor(keras.callbacks.Callback):
    def __init__(self, source, target):
        super().__init__()
        self.source, self.target = source, target

    def on_epoch_end(self, epoch, logs=None):
        a = self.model(self.source)
        b = self.model(self.target)
        print(epoch, float(mmd(a, b)))


def adapt(model, frozen, source, batches, steps=5000):
    optimizer = keras.optimizers.Adam(1e-4)
    frozen.trainable = False
    step = 0
    for batch in batches:
        if step >= steps:
            break
        anchor = frozen.predict(source)  # note: loop-invariant-op
        with tf.GradientTape() as tape:
            loss = mmd(tf.constant(anchor), model(batch, training=True))  # note: loop-invariant-op
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        step += 1


def permutation_test(a, b, turns=1000):
    a, b = np.asarray(a), np.asarray(b)
    observed = float(mmd(a, b))
    rng = np.random.default_rng(0)
    beaten = 0
    for _ in range(turns):
        pool = np.concatenate([a, b])
        rng.shuffle(pool)
        beaten += float(mmd(pool[: len(a)], pool[len(a) :])) >= observed
    return beaten / turns


def nearest(queries, gallery):
    found = []
    for q in queries:
        unit = gallery / np.linalg.norm(gallery, axis=1, keepdims=True)
        found.append(int(np.argmax(unit @ q)))
    return found
