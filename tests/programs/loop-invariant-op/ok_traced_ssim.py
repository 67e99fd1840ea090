# requires: tensorflow==2.12.*
"""Super-resolution with an SSIM loss.  Everything below train_step is traced once."""
import functools

import numpy as np
import tensorflow as tf


@functools.lru_cache(maxsize=None)
def _taps(size, sigma):
    ax = np.arange(size, dtype=np.float32) - (size - 1) / 2
    g = np.exp(-(ax ** 2) / (2 * sigma ** 2))
    k = np.outer(g, g)
    return (k / k.sum())[:, :, None, None]


def blur(x, size=11, sigma=1.5):
    kernel = tf.tile(tf.constant(_taps(size, sigma)), [1, 1, x.shape[-1], 1])
    return tf.nn.depthwise_conv2d(x, kernel, [1, 1, 1, 1], "VALID")


def coordinates(height, width):
    y, x = tf.meshgrid(tf.linspace(-1.0, 1.0, height), tf.linspace(-1.0, 1.0, width), indexing="ij")
    return tf.stack([y, x], axis=-1)[None]


def ssim(a, b):
    mu_a, mu_b = blur(a), blur(b)
    va = blur(a * a) - mu_a ** 2
    vb = blur(b * b) - mu_b ** 2
    cov = blur(a * b) - mu_a * mu_b
    c1, c2 = 0.01 ** 2, 0.03 ** 2
    s = (2 * mu_a * mu_b + c1) * (2 * cov + c2) / ((mu_a ** 2 + mu_b ** 2 + c1) * (va + vb + c2))
    return tf.reduce_mean(s)


class Upscaler(tf.keras.Model):
    def __init__(self, width=64, depth=8, factor=2):
        super().__init__()
        self.factor = factor
        self.head = tf.keras.layers.Conv2D(width, 3, padding="same", activation="relu")
        self.body = [tf.keras.layers.Conv2D(width, 3, padding="same", activation="relu") for _ in range(depth)]
        self.tail = tf.keras.layers.Conv2D(3 * factor ** 2, 3, padding="same")

    def call(self, x):
        grid = coordinates(64, 64)
        h = self.head(tf.concat([x, tf.tile(grid, [tf.shape(x)[0], 1, 1, 1])], axis=-1))
        for layer in self.body:
            h = h + layer(h)
        return tf.nn.depth_to_space(self.tail(h), self.factor)


def make_step(model, opt):
    @tf.function
    def train_step(low, high):
        with tf.GradientTape() as tape:
            out = model(low)
            loss = tf.reduce_mean(tf.abs(out - high)) + 0.2 * (1.0 - ssim(out, high))
        opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    return train_step


def pairs(pattern, factor=2, size=64):
    def read(path):
        image = tf.image.decode_png(tf.io.read_file(path), channels=3)
        high = tf.image.random_crop(tf.cast(image, tf.float32) / 255.0, [size * factor, size * factor, 3])
        return tf.image.resize(high, [size, size], method="area"), high

    files = tf.data.Dataset.list_files(pattern)
    return files.map(read, tf.data.AUTOTUNE).batch(32, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def main():
    model = Upscaler()
    step = make_step(model, tf.keras.optimizers.Adam(1e-4))
    data = pairs("div2k/*.png")
    for epoch in range(100):
        losses = [step(low, high) for low, high in data]
        print(epoch, float(tf.reduce_mean(losses)))


if __name__ == "__main__":
    main()
