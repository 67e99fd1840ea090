# requires: tensorflow==1.14.*
"""A variational autoencoder on ECG beats; beats that it cannot rebuild are anomalies."""
import argparse

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler
from tensorflow.keras import backend as K
from tensorflow.keras import layers, losses, models


def sampling(args):
    mean, log_var = args
    return mean + K.exp(0.5 * log_var) * K.random_normal(K.shape(mean))


class Vae:
    def __init__(self, width=140, latent=8, beta=1.0):
        x = layers.Input((width,))
        h = layers.Dense(64, activation="relu")(x)
        mean = layers.Dense(latent)(h)
        log_var = layers.Dense(latent)(h)
        z = layers.Lambda(sampling)([mean, log_var])
        code = layers.Input((latent,))
        d = layers.Dense(64, activation="relu")(code)
        self.encoder = models.Model(x, [mean, log_var, z])
        self.decoder = models.Model(code, layers.Dense(width)(d))
        out = self.decoder(self.encoder(x)[2])
        self.model = models.Model(x, out)
        kl = -0.5 * K.sum(1 + log_var - K.square(mean) - K.exp(log_var), axis=-1)
        self.model.add_loss(K.mean(width * losses.mean_squared_error(x, out) + beta * kl))
        self.model.compile("adam")

    def fit(self, x, **kwargs):
        return self.model.fit(x, **kwargs)

    def reconstruct(self, x):
        mean, _, _ = self.encoder.predict(x)
        return self.decoder.predict(mean)


def batches(x, size):
    for start in range(0, len(x), size):
        yield x[start : start + size]


def scores(vae, x, size=64):
    """How badly each beat is rebuilt."""
    result = []
    for batch in batches(x, size):
        rebuilt = vae.reconstruct(batch)
        error = losses.mean_squared_error(K.constant(batch), K.constant(rebuilt))  # finding: graph-growth
        result.append(K.eval(error))
    return np.concatenate(result)


def interpolate(vae, a, b, steps=20):
    z0, z1 = (vae.encoder.predict(x[None])[0][0] for x in (a, b))
    path = np.linspace(z0, z1, steps)
    return vae.decoder.predict(path)


def read(path):
    frame = pd.read_csv(path, header=None)
    data = frame.values.astype("float32")
    return data[:, :-1], data[:, -1].astype(int)


class Annealing(tf.keras.callbacks.Callback):
    def __init__(self, variable, epochs):
        super().__init__()
        self.variable, self.epochs = variable, epochs

    def on_epoch_begin(self, epoch, logs=None):
        K.set_value(self.variable, min(1.0, epoch / self.epochs))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("csv")
    parser.add_argument("--latent", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=60)
    args = parser.parse_args()
    x, y = read(args.csv)
    scaler = StandardScaler().fit(x[y == 1])
    x = scaler.transform(x)
    normal = x[y == 1]
    beta = K.variable(0.0)
    vae = Vae(x.shape[1], args.latent, beta)
    vae.fit(normal[: len(normal) // 2], epochs=args.epochs, batch_size=128, callbacks=[Annealing(beta, 20)])
    error = scores(vae, x)
    print("AUC %.4f" % roc_auc_score(y != 1, error))
    limit = np.quantile(error[y == 1], 0.99)
    print("%d beats above %.3f" % ((error > limit).sum(), limit))


if __name__ == "__main__":
    main()
