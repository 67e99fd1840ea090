# requires: tensorflow==2.15.*
"""DCGAN on 64x64 faces kept as one uint8 array; a fluent dataset builder."""
import functools

import numpy as np
import tensorflow as tf
from tensorflow.data import AUTOTUNE, Dataset
from tensorflow.keras import layers

LATENT = 128


def _rescale(images, low, high):
    images = tf.cast(images, tf.float32)
    return images * ((high - low) / 255.0) + low


class DatasetBuilder:
    """builder.shuffled().rescaled(-1, 1).batched(128).build()"""

    def __init__(self, images):
        self._count = len(images)
        self._ds = Dataset.from_tensor_slices(images)

    def shuffled(self):
        self._ds = self._ds.shuffle(self._count, reshuffle_each_iteration=True)
        return self

    def rescaled(self, low, high):
        self._ds = self._ds.map(  # finding: map-before-batch
            functools.partial(_rescale, low=low, high=high), num_parallel_calls=AUTOTUNE)
        return self

    def batched(self, size):
        self._ds = self._ds.batch(size, drop_remainder=True)
        return self

    def build(self):
        return self._ds.prefetch(AUTOTUNE)


def discriminator():
    return tf.keras.Sequential([
        layers.Conv2D(64, 4, 2, "same", input_shape=(64, 64, 3)), layers.LeakyReLU(0.2),
        layers.Conv2D(128, 4, 2, "same"), layers.LeakyReLU(0.2),
        layers.Flatten(), layers.Dropout(0.2), layers.Dense(1),
    ])


def generator():
    return tf.keras.Sequential([
        layers.Dense(8 * 8 * 128, input_shape=(LATENT,)), layers.Reshape((8, 8, 128)),
        layers.Conv2DTranspose(128, 4, 2, "same"), layers.LeakyReLU(0.2),
        layers.Conv2DTranspose(256, 4, 2, "same"), layers.LeakyReLU(0.2),
        layers.Conv2DTranspose(512, 4, 2, "same"), layers.LeakyReLU(0.2),
        layers.Conv2D(3, 5, padding="same", activation="tanh"),
    ])


class GAN(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.d, self.g = discriminator(), generator()
        self.bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    def compile(self, d_opt, g_opt):
        super().compile()
        self.d_opt, self.g_opt = d_opt, g_opt

    def train_step(self, real):
        noise = tf.random.normal([tf.shape(real)[0], LATENT])
        with tf.GradientTape() as tape:
            fake = self.g(noise)
            out = self.d(tf.concat([real, fake], 0))
            half = tf.ones_like(out[: tf.shape(real)[0]])
            d_loss = self.bce(tf.concat([half, 0.0 * half], 0), out)
        grads = tape.gradient(d_loss, self.d.trainable_weights)
        self.d_opt.apply_gradients(zip(grads, self.d.trainable_weights))
        with tf.GradientTape() as tape:
            out = self.d(self.g(noise))
            g_loss = self.bce(tf.ones_like(out), out)
        grads = tape.gradient(g_loss, self.g.trainable_weights)
        self.g_opt.apply_gradients(zip(grads, self.g.trainable_weights))
        return {"d_loss": d_loss, "g_loss": g_loss}


def main():
    faces = np.load("faces64.npy", mmap_mode="r")
    data = DatasetBuilder(np.asarray(faces)).shuffled().rescaled(-1.0, 1.0).batched(128).build()
    gan = GAN()
    gan.compile(tf.keras.optimizers.Adam(1e-4), tf.keras.optimizers.Adam(1e-4))
    gan.fit(data, epochs=100)


if __name__ == "__main__":
    main()
