"""Denoise field recordings of bats: a small convolutional mask network on log spectra.

Training pairs are in one .npz with `noisy` and `clean`, both (n, frames, bins) float32.
"""
import argparse
import pathlib

import numpy as np
import tensorflow as tf


def build_network(bins, width=48):
    frames = tf.keras.Input((None, bins))
    x = frames
    for dilation in (1, 2, 4, 8):
        y = tf.keras.layers.Conv1D(width, 5, padding="same", dilation_rate=dilation)(x)
        y = tf.keras.layers.LayerNormalization()(y)
        x = tf.keras.layers.Activation("gelu")(y)
    mask = tf.keras.layers.Dense(bins, activation="sigmoid")(x)
    return tf.keras.Model(frames, mask, name="bat_mask")


class Denoiser:
    def __init__(self, bins, learning_rate, clip):
        self.network = build_network(bins)
        self.optimizer = tf.keras.optimizers.AdamW(learning_rate, clipnorm=clip)
        self.train_loss = tf.keras.metrics.Mean(name="train")
        self.valid_loss = tf.keras.metrics.Mean(name="valid")

    def loss(self, noisy, clean, training):
        mask = self.network(noisy, training=training)
        return tf.reduce_mean(tf.abs(mask * noisy - clean))

    def train_epoch(self, batches):
        @tf.function
        def step(noisy, clean):
            with tf.GradientTape() as tape:
                loss = self.loss(noisy, clean, training=True)
            variables = self.network.trainable_variables
            grads = tape.gradient(loss, variables)
            self.optimizer.apply_gradients(zip(grads, variables))
            self.train_loss.update_state(loss)

        self.train_loss.reset_state()
        for noisy, clean in batches:
            step(noisy, clean)
        return float(self.train_loss.result())

    @tf.function
    def valid_step(self, noisy, clean):
        self.valid_loss.update_state(self.loss(noisy, clean, training=False))

    def validate(self, batches):
        self.valid_loss.reset_state()
        for noisy, clean in batches:
            self.valid_step(noisy, clean)
        return float(self.valid_loss.result())


def datasets(path, batch, held_out=0.1):
    with np.load(path) as data:
        noisy, clean = data["noisy"], data["clean"]
    cut = int(len(noisy) * (1 - held_out))
    train = tf.data.Dataset.from_tensor_slices((noisy[:cut], clean[:cut]))
    train = train.shuffle(min(cut, 1024), seed=3).batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)
    valid = tf.data.Dataset.from_tensor_slices((noisy[cut:], clean[cut:]))
    return train, valid.batch(batch).cache().prefetch(tf.data.AUTOTUNE), noisy.shape[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=300)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--weights", default="bat_mask.weights.h5")
    args = parser.parse_args()

    tf.keras.utils.set_random_seed(11)
    train, valid, bins = datasets(args.pairs, args.batch)
    denoiser = Denoiser(bins, args.lr, clip=1.0)

    best = float("inf")
    for epoch in range(args.epochs):
        fit = denoiser.train_epoch(train)
        held_out = denoiser.validate(valid)
        print(f"epoch {epoch:3d}  train {fit:.4f}  valid {held_out:.4f}", flush=True)
        if held_out < best:
            best = held_out
            denoiser.network.save_weights(args.weights)


if __name__ == "__main__":
    main()
