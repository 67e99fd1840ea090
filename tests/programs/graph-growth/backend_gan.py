# requires: tensorflow==1.14
"""A GAN for pictures of leaves, written against the Keras backend."""
import os
import sys

import numpy as np
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import layers

LATENT = 100


def make_generator():
    model = keras.Sequential()
    model.add(layers.Dense(8 * 8 * 256, input_dim=LATENT))
    model.add(layers.Reshape((8, 8, 256)))
    for filters in (128, 64, 32):
        model.add(layers.Conv2DTranspose(filters, 4, strides=2, padding="same"))
        model.add(layers.BatchNormalization())
        model.add(layers.LeakyReLU(0.2))
    model.add(layers.Conv2D(3, 5, padding="same", activation="tanh"))
    return model


def make_discriminator():
    image = keras.Input((64, 64, 3))
    x = image
    for filters in (64, 128, 256):
        x = layers.Conv2D(filters, 4, strides=2, padding="same")(x)
        x = layers.LeakyReLU(0.2)(x)
    out = layers.Dense(1, activation="sigmoid")(layers.Flatten()(x))
    return keras.Model(image, out)


class WeightNorms(keras.callbacks.Callback):
    """Watches the weights while the classifier for warm starts is fitted."""

    def __init__(self):
        super(WeightNorms, self).__init__()
        self.history = []

    def on_batch_end(self, batch, logs=None):
        total = 0.0
        for w in self.model.trainable_weights:
            total += K.eval(K.sum(K.square(w)))  # finding: graph-growth
        self.history.append(total)


class PlainNorms(keras.callbacks.Callback):
    def on_batch_end(self, batch, logs=None):
        logs = logs or {}
        logs["norm"] = sum(np.sum(np.square(w)) for w in self.model.get_weights())


def mean_colour_distance(a, b):
    return K.mean(K.abs(K.mean(a, axis=(1, 2)) - K.mean(b, axis=(1, 2))))  # finding: graph-growth


def gradient_norm(model, images):
    grads = K.gradients(K.sum(model.output), [model.input])[0]
    norm = K.sqrt(K.sum(K.square(grads)))  # finding: graph-growth
    return K.function([model.input], [norm])([images])[0]  # finding: graph-growth


class GAN:
    def __init__(self, lr=2e-4):
        self.generator = make_generator()
        self.discriminator = make_discriminator()
        self.discriminator.compile(keras.optimizers.Adam(lr, 0.5), "binary_crossentropy")
        self.discriminator.trainable = False
        z = keras.Input((LATENT,))
        self.stacked = keras.Model(z, self.discriminator(self.generator(z)))
        self.stacked.compile(keras.optimizers.Adam(lr, 0.5), "binary_crossentropy")
        self.base_lr = lr

    def step(self, real):
        n = len(real)
        fake = self.generator.predict(np.random.normal(size=(n, LATENT)))
        d_real = self.discriminator.train_on_batch(real, np.ones(n))
        d_fake = self.discriminator.train_on_batch(fake, np.zeros(n))
        g = self.stacked.train_on_batch(np.random.normal(size=(n, LATENT)), np.ones(n))
        distance = K.eval(mean_colour_distance(K.constant(real), K.constant(fake)))  # finding: graph-growth
        return d_real + d_fake, g, distance

    def fit(self, images, steps, batch_size=64):
        for step in range(steps):
            K.set_value(self.stacked.optimizer.lr, self.base_lr * 0.9999**step)
            rows = np.random.randint(len(images), size=batch_size)
            losses = self.step(images[rows])
            steepness = gradient_norm(self.discriminator, images[rows])  # finding: graph-growth
            if step % 100 == 0:
                print(step, losses, steepness, K.get_value(self.stacked.optimizer.lr))


def warm_start(gan, images, labels):
    features = gan.discriminator.layers[-2].output
    probe = keras.Model(gan.discriminator.input, layers.Dense(12, activation="softmax")(features))
    probe.compile("adam", "sparse_categorical_crossentropy")
    watch = WeightNorms()
    probe.fit(images, labels, batch_size=64, epochs=5, callbacks=[watch, PlainNorms()])
    return watch.history


if __name__ == "__main__":
    blob = np.load(sys.argv[1])
    gan = GAN()
    norms = warm_start(gan, blob["images"], blob["labels"])
    np.save(os.path.join(sys.argv[2], "norms.npy"), norms)
    gan.fit(blob["images"], steps=int(sys.argv[3]))
    gan.generator.save(os.path.join(sys.argv[2], "generator.h5"))
