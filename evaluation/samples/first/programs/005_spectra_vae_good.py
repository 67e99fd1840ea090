"""Variational autoencoder for mass spectra, custom training loop."""
import argparse

import keras
import numpy as np
import tensorflow as tf
from keras import layers


def build_encoder(dim, latent):
    x = inp = keras.Input((dim,))
    for units in (1024, 512, 256):
        x = layers.Dense(units)(x)
        x = layers.LayerNormalization()(x)
        x = layers.Activation("gelu")(x)
    return keras.Model(inp, [layers.Dense(latent)(x), layers.Dense(latent)(x)])


def build_decoder(dim, latent):
    x = inp = keras.Input((latent,))
    for units in (256, 512, 1024):
        x = layers.Dense(units, activation="gelu")(x)
    return keras.Model(inp, layers.Dense(dim)(x))


class SpectraVAE:
    def __init__(self, dim, latent=32, beta=0.5, lr=3e-4):
        self.encoder = build_encoder(dim, latent)
        self.decoder = build_decoder(dim, latent)
        self.beta = beta
        self.optimizer = keras.optimizers.Adam(lr)
        self.variables = self.encoder.trainable_variables + self.decoder.trainable_variables
        self.optimizer.build(self.variables)
        self.loss_metric = keras.metrics.Mean()

    def elbo(self, x):
        mean, log_var = self.encoder(x, training=True)
        z = mean + tf.exp(0.5 * log_var) * tf.random.normal(tf.shape(mean))
        rec = tf.reduce_sum(tf.square(self.decoder(z, training=True) - x), axis=-1)
        kl = -0.5 * tf.reduce_sum(1 + log_var - mean**2 - tf.exp(log_var), axis=-1)
        return tf.reduce_mean(rec + self.beta * kl)

    @tf.function
    def train_step(self, x):
        with tf.GradientTape() as tape:
            loss = self.elbo(x)
        grads = tape.gradient(loss, self.variables)
        self.optimizer.apply_gradients(zip(grads, self.variables))
        self.loss_metric.update_state(loss)

    def fit(self, dataset, epochs):
        for epoch in range(epochs):
            self.loss_metric.reset_state()
            for batch in dataset:
                self.train_step(batch)
            print(f"epoch {epoch + 1}: elbo {self.loss_metric.result():.3f}")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("spectra")
    ap.add_argument("--epochs", type=int, default=200)
    ap.add_argument("--batch", type=int, default=256)
    args = ap.parse_args()
    x = np.load(args.spectra).astype("float32")
    x = np.log1p(x)
    ds = (
        tf.data.Dataset.from_tensor_slices(x)
        .shuffle(len(x))
        .batch(args.batch, drop_remainder=True)
        .prefetch(tf.data.AUTOTUNE)
    )
    vae = SpectraVAE(x.shape[1])
    vae.fit(ds, args.epochs)
    vae.encoder.save("encoder.keras")


if __name__ == "__main__":
    main()
