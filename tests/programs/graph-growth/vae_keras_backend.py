# requires: tensorflow==1.13.*, keras==2.2.*
"""Variational autoencoder in Keras 2.2 with annealing of the KL term."""
import argparse

import keras
import numpy as np
from keras import backend as K
from keras import layers
from keras.models import Model


class Annealer(keras.callbacks.Callback):
    """Raises the weight of the KL term from 0 to 1."""

    def __init__(self, weight, warmup=10):
        super(Annealer, self).__init__()
        self.weight = weight
        self.warmup = warmup

    def on_epoch_begin(self, epoch, logs=None):
        K.set_value(self.weight, min(1.0, epoch / float(self.warmup)))


class VAE(object):
    def __init__(self, dim, latent):
        self.kl_weight = K.variable(0.0)
        self.inputs = layers.Input((dim,))
        h = layers.Dense(512, activation="relu")(self.inputs)
        self.mean = layers.Dense(latent)(h)
        self.logvar = layers.Dense(latent)(h)
        z = layers.Lambda(self._sample)([self.mean, self.logvar])
        self.decoder = keras.Sequential([
            layers.Dense(512, activation="relu", input_shape=(latent,)),
            layers.Dense(dim, activation="sigmoid"),
        ])
        self.outputs = self.decoder(z)
        self.encoder = Model(self.inputs, self.mean)
        self.model = Model(self.inputs, self.outputs)
        kl = -0.5 * K.sum(1 + self.logvar - K.square(self.mean) - K.exp(self.logvar), axis=-1)
        rec = dim * keras.losses.binary_crossentropy(self.inputs, self.outputs)
        self.model.add_loss(K.mean(rec + self.kl_weight * kl))
        self.model.compile("rmsprop")

    @staticmethod
    def _sample(args):
        mean, logvar = args
        return mean + K.exp(0.5 * logvar) * K.random_normal(K.shape(mean))


def reconstruction_errors(vae, x, batch_size=100):
    errors = []
    for start in range(0, len(x), batch_size):
        batch = x[start:start + batch_size]
        restored = vae.model.predict_on_batch(batch)
        error = K.eval(K.mean(K.square(K.constant(batch) - K.constant(restored)), axis=1))  # finding: graph-growth
        errors.extend(error)
    return np.array(errors)


def interpolate(vae, a, b, steps):
    images = []
    for t in np.linspace(0, 1, steps):
        z = K.constant((1 - t) * a + t * b)  # finding: graph-growth
        images.append(K.get_value(vae.decoder(z)))  # finding: graph-growth
    return np.stack(images)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--latent", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=50)
    args = parser.parse_args()
    (x, _), (x_test, _) = keras.datasets.mnist.load_data()
    x = x.reshape(len(x), -1) / 255.0
    x_test = x_test.reshape(len(x_test), -1) / 255.0
    vae = VAE(784, args.latent)
    vae.model.fit(x, epochs=args.epochs, batch_size=128, callbacks=[Annealer(vae.kl_weight)])
    errors = reconstruction_errors(vae, x_test)
    print("worst", np.argsort(errors)[-10:])
    codes = vae.encoder.predict(x_test[:2])
    np.save("path.npy", interpolate(vae, codes[:1], codes[1:], 100))


if __name__ == "__main__":
    main()
