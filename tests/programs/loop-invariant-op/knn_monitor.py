# requires: tensorflow>=2.10
import numpy as np
import tensorflow as tf
from tensorflow import keras


class Probe:
    def __init__(self, images, labels, k):
        self.images, self.labels, self.k = images, labels, k

    def pairwise_bandwidth(self):
        flat = self.images.reshape(len(self.images), -1)
        d = ((flat[:, None] - flat[None]) ** 2).sum(-1)
        return np.median(np.sqrt(d))


def watch(model, probe, batches):
    kept = []
    for batch in batches:
        width = probe.pairwise_bandwidth()
        features = model.predict(batch)
        kept.append(np.exp(-(features**2).sum(-1) / width))
    return kept


def align(model, reference, anchors, batches, optimizer):
    reference.trainable = False
    for batch in batches:
        codes = reference.predict(anchors)  # note: loop-invariant-op
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(batch) - codes.mean(0)))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))


def pseudo_labels(model, pool, batches):
    for x, y in batches:
        model.fit(x, y, verbose=0)
        yield model.predict(pool).argmax(-1)


def head(width):
    return keras.Sequential([keras.layers.Dense(width, "relu"), keras.layers.Dense(10)])
