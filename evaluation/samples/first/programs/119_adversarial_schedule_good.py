"""Robust text classifier with a noise curriculum, custom loop."""
import argparse
import math

import keras
import numpy as np
import tensorflow as tf
from keras import layers


def noise_level(step, total, low=0.01, high=0.25):
    frac = min(step / max(total, 1), 1.0)
    return low + 0.5 * (high - low) * (1.0 - math.cos(math.pi * frac))


class NoisyClassifier(tf.Module):
    def __init__(self, vocab, classes, length, dim=384):
        super().__init__()
        self.emb = layers.Embedding(vocab, dim)
        inp = keras.Input((length, dim))
        x = inp
        for _ in range(4):
            h = layers.LayerNormalization()(x)
            x = layers.Add()([x, layers.MultiHeadAttention(6, 64)(h, h)])
            h = layers.Dense(4 * dim, activation="gelu")(layers.LayerNormalization()(x))
            x = layers.Add()([x, layers.Dense(dim)(h)])
        out = layers.Dense(classes, dtype="float32")(layers.GlobalAveragePooling1D()(x))
        self.body = keras.Model(inp, out)
        self.emb.build((None, length))

    @property
    def weights(self):
        return self.emb.trainable_variables + self.body.trainable_variables


class Trainer:
    def __init__(self, net, lr):
        self.net = net
        self.opt = keras.optimizers.Adam(lr)
        self.ce = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.seen = keras.metrics.Mean()

    @tf.function
    def train_step(self, ids, labels, sigma):
        with tf.GradientTape() as tape:
            e = self.net.emb(ids)
            noise = tf.random.normal(tf.shape(e), dtype=e.dtype)
            logits = self.net.body(e + tf.cast(sigma, e.dtype) * noise, training=True)
            loss = self.ce(labels, logits)
        grads = tape.gradient(loss, self.net.weights)
        self.opt.apply_gradients(zip(grads, self.net.weights))
        self.seen.update_state(loss)

    def fit(self, ds, total, log_every=500):
        for step, (ids, labels) in enumerate(ds.take(total)):
            sigma = tf.convert_to_tensor(noise_level(step, total), tf.float32)
            self.train_step(ids, labels, sigma)
            if step % log_every == 0:
                print(step, float(self.seen.result()))
                self.seen.reset_state()


def dataset(path, batch):
    z = np.load(path)
    ds = tf.data.Dataset.from_tensor_slices(
        (z["ids"].astype(np.int32), z["labels"].astype(np.int32)))
    ds = ds.shuffle(100_000).repeat().batch(batch, drop_remainder=True)
    return ds.prefetch(tf.data.AUTOTUNE)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--vocab", type=int, default=32000)
    p.add_argument("--classes", type=int, default=20)
    p.add_argument("--steps", type=int, default=40_000)
    p.add_argument("--batch", type=int, default=128)
    args = p.parse_args()
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    ds = dataset(args.data, args.batch)
    net = NoisyClassifier(args.vocab, args.classes, ds.element_spec[0].shape[1])
    Trainer(net, 2e-4).fit(ds, args.steps)
    net.body.save("robust.keras")


if __name__ == "__main__":
    main()
