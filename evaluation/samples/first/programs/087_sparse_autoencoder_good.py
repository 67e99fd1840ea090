"""Denoising autoencoder for gene expression counts, custom loop."""
import argparse

import keras
import numpy as np
import tensorflow as tf
from keras import layers


def make_batches(matrix, batch_size):
    ds = tf.data.Dataset.from_tensor_slices(matrix)
    ds = ds.shuffle(len(matrix)).batch(batch_size, drop_remainder=True)
    return ds.prefetch(tf.data.AUTOTUNE)


def make_model(genes, latent):
    inp = keras.Input((genes,))
    h = layers.Dense(1024, activation="gelu")(layers.GaussianNoise(0.2)(inp))
    z = layers.Dense(latent, name="latent")(layers.LayerNormalization()(h))
    h = layers.Dense(1024, activation="gelu")(z)
    return keras.Model(inp, layers.Dense(genes, dtype="float32")(h))


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.opt = keras.optimizers.AdamW(lr, weight_decay=1e-4)
        self.loss = keras.metrics.Mean()

    @tf.function(reduce_retracing=True)
    def step(self, x):
        with tf.GradientTape() as tape:
            err = tf.reduce_mean(tf.square(self.model(x, training=True) - x))
        grads = tape.gradient(err, self.model.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.model.trainable_variables))
        self.loss.update_state(err)

    @tf.function(reduce_retracing=True)
    def error(self, x):
        return tf.reduce_mean(tf.square(self.model(x, training=False) - x))

    def fit(self, train, held_out, epochs, batch_size, patience=25):
        best, wait = np.inf, 0
        held_out = tf.constant(held_out)
        batches = make_batches(train, batch_size)
        for epoch in range(epochs):
            self.loss.reset_state()
            for x in batches:
                self.step(x)
            val = float(self.error(held_out))
            print(f"{epoch:4d} {float(self.loss.result()):.4f} {val:.4f}")
            best, wait = (val, 0) if val < best - 1e-5 else (best, wait + 1)
            if wait > patience:
                break
        return best


def main():
    p = argparse.ArgumentParser()
    p.add_argument("counts", help="npy matrix, cells x genes")
    p.add_argument("--latent", type=int, default=64)
    p.add_argument("--epochs", type=int, default=400)
    p.add_argument("--batch-size", type=int, default=1024)
    args = p.parse_args()

    keras.mixed_precision.set_global_policy("mixed_float16")
    counts = np.log1p(np.load(args.counts).astype(np.float32))
    split = int(0.95 * len(counts))
    trainer = Trainer(make_model(counts.shape[1], args.latent), 1e-3)
    best = trainer.fit(counts[:split], counts[split:], args.epochs, args.batch_size)
    print(f"best held-out error {best:.5f}")
    trainer.model.save("autoencoder.keras")


if __name__ == "__main__":
    main()
