from __future__ import print_function

import numpy as np
from keras.datasets import mnist
from keras.layers import BatchNormalization, Conv2D, Dense, Dropout, Flatten, LeakyReLU, Reshape, UpSampling2D
from keras.models import Sequential, load_model
from keras.optimizers import Adam


class GAN:
    def __init__(self, latent=100):
        self.latent = latent
        self.discriminator = self.build_discriminator()
        self.discriminator.compile("adam", "binary_crossentropy", metrics=["accuracy"])
        self.generator = self.build_generator()
        self.discriminator.trainable = False
        self.combined = Sequential([self.generator, self.discriminator])
        self.combined.compile(Adam(2e-4, 0.5), "binary_crossentropy")

    def build_generator(self):
        model = Sequential()
        model.add(Dense(128 * 7 * 7, activation="relu", input_dim=self.latent))
        model.add(Reshape((7, 7, 128)))
        for filters in (128, 64):
            model.add(UpSampling2D())
            model.add(Conv2D(filters, 3, padding="same"))
            model.add(BatchNormalization(momentum=0.8))
            model.add(LeakyReLU(0.2))
        model.add(Conv2D(1, 3, padding="same", activation="tanh"))
        return model

    def build_discriminator(self):
        model = Sequential()
        model.add(Conv2D(32, 3, strides=2, padding="same", input_shape=(28, 28, 1)))
        model.add(LeakyReLU(0.2))
        model.add(Dropout(0.25))
        model.add(Conv2D(64, 3, strides=2, padding="same"))
        model.add(LeakyReLU(0.2))
        model.add(Flatten())
        model.add(Dense(1, activation="sigmoid"))
        return model

    def real_batch(self, images, size):
        batch = np.zeros((size, 28, 28, 1))
        for b in range(size):
            picked = images[np.random.randint(0, len(images))]
            batch[b, :, :, 0] = (picked - 127.5) / 127.5
        return batch

    def train(self, epochs, size=64):
        (x, _), (_, _) = mnist.load_data()
        ones, zeros = np.ones((size, 1)), np.zeros((size, 1))
        for epoch in range(epochs):
            real = self.real_batch(x, size)  # finding: sample-loop
            noise = np.random.normal(0, 1, (size, self.latent))
            fake = self.generator.predict(noise)
            d_real = self.discriminator.train_on_batch(real, ones)
            d_fake = self.discriminator.train_on_batch(fake, zeros)
            g = self.combined.train_on_batch(np.random.normal(0, 1, (size, self.latent)), ones)
            if epoch % 100 == 0:
                print(epoch, d_real, d_fake, g)

    def train_indexed(self, epochs, size=64):
        (x, _), (_, _) = mnist.load_data()
        x = (x[..., None].astype("float32") - 127.5) / 127.5
        ones, zeros = np.ones((size, 1)), np.zeros((size, 1))
        for epoch in range(epochs):
            real = x[np.random.randint(0, len(x), size)]
            fake = self.generator.predict(np.random.normal(0, 1, (size, self.latent)))
            self.discriminator.train_on_batch(real, ones)
            self.discriminator.train_on_batch(fake, zeros)


def gallery(path, count, latent=100):
    generator = load_model(path)
    pictures = []
    for _ in range(count):
        noise = np.random.normal(0, 1, (1, latent))
        pictures.append(generator.predict(noise)[0])  # finding: predict-per-item
    return np.array(pictures)


def interpolation(generator, start, end, steps=50):
    line = np.array([start + (end - start) * t / steps for t in range(steps)])
    return generator.predict(line, batch_size=steps)


def snapshots(paths, noise):
    return [load_model(path).predict(noise) for path in paths]


def judge(discriminator, x_val, y_val):
    return discriminator.evaluate(x_val, y_val, batch_size=256)


if __name__ == "__main__":
    GAN().train(30000)
