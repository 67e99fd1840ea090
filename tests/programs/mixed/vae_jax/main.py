"""A variational autoencoder in plain JAX."""
import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import grad, jit, random


def init(key, sizes):
    keys = random.split(key, len(sizes))
    return [(random.normal(k, (m, n)) * 0.05, jnp.zeros(n)) for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def mlp(params, x):
    for w, b in params[:-1]:
        x = jax.nn.softplus(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def elbo(params, key, x):
    enc, dec = params
    mu, log_var = jnp.split(mlp(enc, x), 2, axis=-1)
    z = mu + jnp.exp(0.5 * log_var) * random.normal(key, mu.shape)
    logits = mlp(dec, z)
    rec = jnp.sum(x * logits - jnp.logaddexp(0.0, logits), -1)
    kl = 0.5 * jnp.sum(jnp.exp(log_var) + mu**2 - 1 - log_var, -1)
    return -jnp.mean(rec - kl)


@partial(jit, static_argnums=(3,))
def update(params, key, x, rate):
    grads = grad(elbo)(params, key, x)
    return jax.tree.map(lambda p, g: p - rate * g, params, grads)


@partial(jit, static_argnames="count")
def sample(dec, key, count):
    return jax.nn.sigmoid(mlp(dec, random.normal(key, (count, 16))))


def epoch_loss(params, key, batches):
    losses = []
    for x in batches:
        losses.append(jit(partial(elbo, params))(key, x))  # finding: compiled-per-call
    return float(jnp.mean(jnp.stack(losses)))


def interpolate(dec, a, b):
    frames = []
    for t in np.linspace(0, 1, 240):
        frames.append(jit(lambda z: jax.nn.sigmoid(mlp(dec, z)))((1 - t) * a + t * b))  # finding: compiled-per-call
    return jnp.stack(frames)


def main(images, epochs=20, size=128):
    key = random.PRNGKey(0)
    params = (init(key, [784, 256, 32]), init(key, [16, 256, 784]))
    rate = 1e-3
    for epoch in range(epochs):
        began = time.time()
        order = np.random.permutation(len(images))
        for start in range(0, len(order) - size, size):
            key, sub = random.split(key)
            rate = rate * 0.9999
            params = update(params, sub, images[order[start : start + size]], rate)  # finding: retracing
        picture = sample(params[1], key, 64)
        print(epoch, epoch_loss(params, key, np.array_split(images[:10000], 80)), time.time() - began, picture.mean())
    return interpolate(params[1], jnp.zeros(16), jnp.ones(16))


if __name__ == "__main__":
    main(np.random.rand(60000, 784).astype("float32"))
