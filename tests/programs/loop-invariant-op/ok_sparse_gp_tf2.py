# requires: tensorflow==2.8.*, tensorflow-probability
"""Sparse variational GP for the tide gauge; eager while we debug it."""
import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

JITTER = 1e-6


class Kernel(tf.Module):
    def __init__(self, dims):
        super().__init__()
        self.log_length = tf.Variable(tf.zeros(dims, tf.float64))
        self.log_variance = tf.Variable(tf.zeros([], tf.float64))

    def __call__(self, a, b):
        length = tf.exp(self.log_length)
        a, b = a / length, b / length
        sq = tf.reduce_sum(a ** 2, 1)[:, None] + tf.reduce_sum(b ** 2, 1)[None] - 2 * tf.matmul(a, b, transpose_b=True)
        return tf.exp(self.log_variance) * tf.exp(-0.5 * tf.maximum(sq, 0.0))


class SVGP(tf.Module):
    def __init__(self, inducing, dims):
        super().__init__()
        self.kernel = Kernel(dims)
        self.z = tf.Variable(inducing)
        m = len(inducing)
        self.mean = tf.Variable(tf.zeros((m, 1), tf.float64))
        self.raw_scale = tf.Variable(tf.eye(m, dtype=tf.float64))
        self.log_noise = tf.Variable(tf.constant(-2.0, tf.float64))
        self.jitter = JITTER * tf.eye(m, dtype=tf.float64)

    def predict(self, x):
        kzz = self.kernel(self.z, self.z) + self.jitter
        chol = tf.linalg.cholesky(kzz)
        kzx = self.kernel(self.z, x)
        a = tf.linalg.triangular_solve(chol, kzx)
        mu = tf.matmul(a, self.mean, transpose_a=True)
        scale = tf.linalg.band_part(self.raw_scale, -1, 0)
        b = tf.matmul(scale, a, transpose_a=True)
        var = tf.exp(self.kernel.log_variance) - tf.reduce_sum(a ** 2, 0) + tf.reduce_sum(b ** 2, 0)
        return mu[:, 0], var

    def kl(self):
        scale = tf.linalg.band_part(self.raw_scale, -1, 0)
        logdet = tf.reduce_sum(tf.math.log(tf.linalg.diag_part(scale) ** 2))
        m = tf.cast(tf.shape(scale)[0], tf.float64)
        return 0.5 * (tf.reduce_sum(scale ** 2) + tf.reduce_sum(self.mean ** 2) - m - logdet)

    def loss(self, x, y, total):
        mu, var = self.predict(x)
        noise = tf.exp(self.log_noise)
        ll = tfp.distributions.Normal(mu, tf.sqrt(noise)).log_prob(y) - 0.5 * var / noise
        return -tf.reduce_mean(ll) + self.kl() / total


def train(x, y, inducing=256, steps=5000, batch=512):
    rng = np.random.RandomState(1)
    z = x[rng.choice(len(x), inducing, replace=False)]
    model = SVGP(z, x.shape[1])
    opt = tf.keras.optimizers.Adam(1e-2)
    for step in range(steps):
        i = rng.randint(len(x), size=batch)
        with tf.GradientTape() as tape:
            value = model.loss(x[i], y[i], float(len(x)))
        grads = tape.gradient(value, model.trainable_variables)
        opt.apply_gradients(zip(grads, model.trainable_variables))
        if step % 250 == 0:
            tf.print(step, value)
    return model


if __name__ == "__main__":
    table = np.genfromtxt("tides.csv", delimiter=",", skip_header=1)
    x = (table[:, :3] - table[:, :3].mean(0)) / table[:, :3].std(0)
    y = table[:, 3] - table[:, 3].mean()
    model = train(x, y)
    mu, var = model.predict(x)
    np.savetxt("fitted.csv", np.stack([mu, var], 1), delimiter=",")
