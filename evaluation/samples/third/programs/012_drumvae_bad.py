"""Train a small VAE on log-mel frames of drum hits.

usage: drumvae.py frames.npy out.weights.h5    (frames.npy: float32 [n, 128])
"""
import math
import sys

import keras
import numpy as np
import tensorflow as tf

LATENT = 16
BATCH = 256
EPOCHS = 40
WARMUP_STEPS = 4000
MAX_BETA = 0.2


def kl_weight(step):
    progress = min(1.0, step / WARMUP_STEPS)
    return MAX_BETA * 0.5 * (1.0 - math.cos(math.pi * progress))


def build_encoder(n_mels):
    inp = keras.Input((n_mels,))
    h = keras.layers.Dense(256, activation="gelu")(inp)
    h = keras.layers.Dense(128, activation="gelu")(h)
    return keras.Model(inp, keras.layers.Dense(2 * LATENT)(h), name="encoder")


def build_decoder(n_mels):
    inp = keras.Input((LATENT,))
    h = keras.layers.Dense(128, activation="gelu")(inp)
    h = keras.layers.Dense(256, activation="gelu")(h)
    return keras.Model(inp, keras.layers.Dense(n_mels)(h), name="decoder")


class DrumVAE:
    def __init__(self, n_mels):
        self.encoder = build_encoder(n_mels)
        self.decoder = build_decoder(n_mels)
        self.optimizer = keras.optimizers.Adam(1e-3)
        self.recon = keras.metrics.Mean(name="recon")
        self.kl = keras.metrics.Mean(name="kl")

    @property
    def variables(self):
        return self.encoder.trainable_variables + self.decoder.trainable_variables

    @tf.function
    def train_step(self, frames, beta):
        with tf.GradientTape() as tape:
            mean, logvar = tf.split(self.encoder(frames, training=True), 2, axis=-1)
            z = mean + tf.exp(0.5 * logvar) * tf.random.normal(tf.shape(mean))
            out = self.decoder(z, training=True)
            recon = tf.reduce_mean(tf.reduce_sum(tf.square(frames - out), axis=-1))
            kl = -0.5 * tf.reduce_mean(
                tf.reduce_sum(1.0 + logvar - tf.square(mean) - tf.exp(logvar), axis=-1)
            )
            loss = recon + beta * kl
        grads = tape.gradient(loss, self.variables)
        self.optimizer.apply_gradients(zip(grads, self.variables))
        self.recon.update_state(recon)
        self.kl.update_state(kl)


def make_dataset(frames):
    ds = tf.data.Dataset.from_tensor_slices(frames)
    ds = ds.shuffle(20_000).batch(BATCH, drop_remainder=True)
    return ds.prefetch(tf.data.AUTOTUNE)


def main(path, out):
    frames = np.load(path).astype("float32")
    frames = (frames - frames.mean(0)) / (frames.std(0) + 1e-6)
    dataset = make_dataset(frames)
    vae = DrumVAE(frames.shape[1])

    step = 0
    for epoch in range(EPOCHS):
        vae.recon.reset_state()
        vae.kl.reset_state()
        for batch in dataset:
            beta = kl_weight(step)
            vae.train_step(batch, beta)
            step += 1
        print(f"epoch {epoch:3d}  recon {vae.recon.result():.3f}  kl {vae.kl.result():.3f}")
    vae.decoder.save_weights(out)


if __name__ == "__main__":
    main(*sys.argv[1:3])
