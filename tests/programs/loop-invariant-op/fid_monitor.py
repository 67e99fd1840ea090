# requires: tensorflow==2.6.*
"""DCGAN on faces, with a callback that follows the Frechet distance."""
import sys

import numpy as np
import tensorflow as tf
from scipy import linalg
from tensorflow import keras
from tensorflow.keras import layers

SIZE, LATENT = 64, 128


class FrechetMonitor(keras.callbacks.Callback):
    def __init__(self, real, every=1):
        super().__init__()
        self.real = real
        self.every = every
        self.inception = keras.applications.InceptionV3(
            include_top=False, pooling="avg", input_shape=(299, 299, 3)
        )
        self.inception.trainable = False
        self.history = []

    def features(self, images):
        images = tf.image.resize(images, (299, 299))
        return self.inception.predict(images, batch_size=64)

    def distance(self, a, b):
        mu_a, mu_b = a.mean(axis=0), b.mean(axis=0)
        cov_a, cov_b = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
        root = linalg.sqrtm(cov_a @ cov_b).real
        return np.sum((mu_a - mu_b) ** 2) + np.trace(cov_a + cov_b - 2 * root)

    def on_epoch_end(self, epoch, logs=None):
        noise = tf.random.normal((len(self.real), LATENT))
        fake = self.model.generator.predict(noise, batch_size=64)
        real_features = self.features(self.real)  # note: loop-invariant-op
        fid = self.distance(real_features, self.features(fake))
        self.history.append(fid)
        print(f" - fid: {fid:.2f}")


class DCGAN(keras.Model):
    def __init__(self):
        super().__init__()
        self.generator = keras.Sequential(
            [
                layers.InputLayer((LATENT,)),
                layers.Dense(8 * 8 * 128),
                layers.Reshape((8, 8, 128)),
                layers.Conv2DTranspose(128, 4, 2, "same"),
                layers.LeakyReLU(0.2),
                layers.Conv2DTranspose(256, 4, 2, "same"),
                layers.LeakyReLU(0.2),
                layers.Conv2DTranspose(3, 4, 2, "same", activation="tanh"),
            ]
        )
        self.discriminator = keras.Sequential(
            [
                layers.InputLayer((SIZE, SIZE, 3)),
                layers.Conv2D(64, 4, 2, "same"),
                layers.LeakyReLU(0.2),
                layers.Conv2D(128, 4, 2, "same"),
                layers.LeakyReLU(0.2),
                layers.Flatten(),
                layers.Dropout(0.2),
                layers.Dense(1),
            ]
        )

    def compile(self, d_opt, g_opt):
        super().compile()
        self.d_opt, self.g_opt = d_opt, g_opt
        self.bce = keras.losses.BinaryCrossentropy(from_logits=True)

    def train_step(self, real):
        n = tf.shape(real)[0]
        noise = tf.random.normal((n, LATENT))
        with tf.GradientTape(persistent=True) as tape:
            fake = self.generator(noise, training=True)
            on_real = self.discriminator(real, training=True)
            on_fake = self.discriminator(fake, training=True)
            d_loss = self.bce(tf.ones_like(on_real), on_real) + self.bce(
                tf.zeros_like(on_fake), on_fake
            )
            g_loss = self.bce(tf.ones_like(on_fake), on_fake)
        d_vars, g_vars = self.discriminator.trainable_variables, self.generator.trainable_variables
        self.d_opt.apply_gradients(zip(tape.gradient(d_loss, d_vars), d_vars))
        self.g_opt.apply_gradients(zip(tape.gradient(g_loss, g_vars), g_vars))
        return {"d_loss": d_loss, "g_loss": g_loss}


def main(folder):
    ds = keras.utils.image_dataset_from_directory(
        folder, label_mode=None, image_size=(SIZE, SIZE), batch_size=64
    )
    ds = ds.map(lambda x: x / 127.5 - 1.0, num_parallel_calls=tf.data.AUTOTUNE).prefetch(2)
    real = np.concatenate([b.numpy() for b in ds.take(32)])
    gan = DCGAN()
    gan.compile(keras.optimizers.Adam(1e-4), keras.optimizers.Adam(1e-4))
    gan.fit(ds, epochs=200, callbacks=[FrechetMonitor(real)])


if __name__ == "__main__":
    main(sys.argv[1])
