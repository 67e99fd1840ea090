# requires: tensorflow==2.12.*
"""Pix2pix on maps. The step is a tf.function, so Grappler folds what does not change."""
import argparse
import time

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

SIZE = 256


def sobel_kernels():
    gx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], np.float32)
    return np.stack([gx, gx.T], -1)[:, :, None, :]


class Edges:
    def __call__(self, x):
        kernel = tf.constant(sobel_kernels())
        grey = tf.reduce_mean(x, -1, keepdims=True)
        return tf.nn.conv2d(grey, kernel, 1, "SAME")


def down(filters, norm=True):
    block = tf.keras.Sequential()
    block.add(layers.Conv2D(filters, 4, 2, "same", use_bias=not norm))
    if norm:
        block.add(layers.BatchNormalization())
    block.add(layers.LeakyReLU(0.2))
    return block


def up(filters):
    return tf.keras.Sequential(
        [
            layers.Conv2DTranspose(filters, 4, 2, "same", use_bias=False),
            layers.BatchNormalization(),
            layers.ReLU(),
        ]
    )


def generator():
    inp = layers.Input((SIZE, SIZE, 3))
    x, skips = inp, []
    for filters in (64, 128, 256, 512):
        x = down(filters)(x)
        skips.append(x)
    for filters, skip in zip((256, 128, 64), reversed(skips[:-1])):
        x = layers.Concatenate()([up(filters)(x), skip])
    out = layers.Conv2DTranspose(3, 4, 2, "same", activation="tanh")(x)
    return tf.keras.Model(inp, out)


def discriminator():
    a, b = layers.Input((SIZE, SIZE, 3)), layers.Input((SIZE, SIZE, 3))
    x = layers.Concatenate()([a, b])
    for filters in (64, 128, 256):
        x = down(filters, norm=filters != 64)(x)
    return tf.keras.Model([a, b], layers.Conv2D(1, 4)(x))


class Trainer:
    def __init__(self, lam):
        self.g, self.d = generator(), discriminator()
        self.g_opt = tf.keras.optimizers.Adam(2e-4, beta_1=0.5)
        self.d_opt = tf.keras.optimizers.Adam(2e-4, beta_1=0.5)
        self.bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        self.edges = Edges()
        self.lam = lam

    @tf.function
    def step(self, src, dst):
        ramp = tf.linspace(0.5, 1.5, SIZE)[None, :, None, None]
        weight = ramp / tf.reduce_mean(ramp)
        with tf.GradientTape(persistent=True) as tape:
            fake = self.g(src, training=True)
            real_logit = self.d([src, dst], training=True)
            fake_logit = self.d([src, fake], training=True)
            adv = self.bce(tf.ones_like(fake_logit), fake_logit)
            l1 = tf.reduce_mean(weight * tf.abs(dst - fake))
            edge = tf.reduce_mean(tf.abs(self.edges(dst) - self.edges(fake)))
            g_loss = adv + self.lam * (l1 + edge)
            d_loss = self.bce(tf.ones_like(real_logit), real_logit) + self.bce(
                tf.zeros_like(fake_logit), fake_logit
            )
        self.g_opt.apply_gradients(
            zip(tape.gradient(g_loss, self.g.trainable_variables), self.g.trainable_variables)
        )
        self.d_opt.apply_gradients(
            zip(tape.gradient(d_loss, self.d.trainable_variables), self.d.trainable_variables)
        )
        return g_loss, d_loss


def read(path):
    pair = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    pair = tf.image.resize(pair, (SIZE, 2 * SIZE)) / 127.5 - 1.0
    return pair[:, SIZE:], pair[:, :SIZE]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pattern")
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--lam", type=float, default=100.0)
    args = parser.parse_args()
    ds = tf.data.Dataset.list_files(args.pattern).map(read, tf.data.AUTOTUNE).cache()
    ds = ds.shuffle(400).batch(8, drop_remainder=True).prefetch(tf.data.AUTOTUNE)
    trainer = Trainer(args.lam)
    for epoch in range(args.epochs):
        start = time.time()
        for src, dst in ds:
            g_loss, d_loss = trainer.step(src, dst)
        print(epoch, float(g_loss), float(d_loss), f"{time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
