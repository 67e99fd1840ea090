# requires: jax==0.4.26
"""beta-VAE for galaxy cut-outs with Flax and Optax."""
import functools
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state


class Coder(nn.Module):
    latent: int

    @nn.compact
    def __call__(self, x):
        for w in (32, 64, 128):
            x = nn.gelu(nn.Conv(w, (3, 3), strides=(2, 2))(x))
        x = x.reshape(x.shape[0], -1)
        return nn.Dense(self.latent)(x), nn.Dense(self.latent)(x)


class VAE(nn.Module):
    latent: int = 32

    def setup(self):
        self.coder = Coder(self.latent)
        self.up = [nn.ConvTranspose(w, (3, 3), strides=(2, 2)) for w in (64, 32, 16)]
        self.lift = nn.Dense(8 * 8 * 128)
        self.out = nn.Conv(3, (3, 3))

    def decode(self, z):
        x = self.lift(z).reshape(-1, 8, 8, 128)
        for u in self.up:
            x = nn.gelu(u(x))
        return self.out(x)

    def __call__(self, x, key):
        mu, logvar = self.coder(x)
        z = mu + jnp.exp(0.5 * logvar) * jax.random.normal(key, mu.shape)
        return self.decode(z), mu, logvar


def elbo(params, model, x, key, beta):
    y, mu, lv = model.apply({"params": params}, x, key)
    rec = jnp.sum((x - y) ** 2, (1, 2, 3))
    kl = -0.5 * jnp.sum(1 + lv - mu ** 2 - jnp.exp(lv), -1)
    return jnp.mean(rec + beta * kl)


def update(state, x, key, *, model, beta):
    loss, g = jax.value_and_grad(elbo)(state.params, model, x, key, beta)
    return state.apply_gradients(grads=g), loss


class Experiment:
    beta = 4.0

    def __init__(self, images, seed=0):
        self.images = images
        self.model = VAE()
        self.key = jax.random.PRNGKey(seed)
        params = self.model.init(self.key, images[:1], self.key)["params"]
        self.state: Any = train_state.TrainState.create(
            apply_fn=self.model.apply, params=params, tx=optax.adamw(3e-4))

    @property
    def step(self):
        return jax.jit(functools.partial(update, model=self.model, beta=self.beta))  # finding: compiled-per-call

    @functools.cached_property
    def score(self):
        return jax.jit(functools.partial(elbo, model=self.model, beta=1.0))

    def draw(self):
        self.key, sub = jax.random.split(self.key)
        return sub

    def batches(self, size, rng):
        order = rng.permutation(len(self.images))
        for i in range(0, len(order) - size + 1, size):
            yield self.images[order[i:i + size]]

    def codes(self, x):
        enc = jax.jit(lambda p, a: Coder(self.model.latent).apply({"params": p}, a)[0])  # finding: compiled-per-call
        return enc(self.state.params["coder"], x)

    def fit(self, epochs, size=128):
        rng = np.random.default_rng(1)
        for e in range(epochs):
            losses = []
            for x in self.batches(size, rng):
                self.state, loss = self.step(self.state, x, self.draw())
                losses.append(loss)
            held = self.score(self.state.params, x=x, key=self.draw())
            print(e, float(jnp.mean(jnp.stack(losses))), float(held))

    def embed(self, size=256):
        return np.concatenate([np.asarray(self.codes(self.images[i:i + size]))
                               for i in range(0, len(self.images), size)])


if __name__ == "__main__":
    ex = Experiment(np.load("galaxies64.npy").astype(np.float32) / 255.0)
    ex.fit(50)
    np.save("codes.npy", ex.embed())
