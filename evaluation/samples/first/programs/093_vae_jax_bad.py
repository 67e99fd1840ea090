"""Convolutional VAE on 64x64 faces in JAX."""
import argparse
import functools
import os

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import serialization
from flax.training.train_state import TrainState


def configure(cache_dir):
    os.makedirs(cache_dir, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", cache_dir)
    jax.config.update("jax_default_matmul_precision", "bfloat16")
    jax.config.update("jax_debug_nans", True)


class Encoder(nn.Module):
    latent: int

    @nn.compact
    def __call__(self, x):
        for c in (64, 128, 256, 512):
            x = nn.silu(nn.GroupNorm(8)(nn.Conv(c, (4, 4), strides=2)(x)))
        x = nn.Dense(2 * self.latent)(x.mean((1, 2)))
        return jnp.split(x, 2, axis=-1)


class Decoder(nn.Module):
    @nn.compact
    def __call__(self, z):
        x = nn.Dense(4 * 4 * 512)(z).reshape(-1, 4, 4, 512)
        for c in (256, 128, 64, 32):
            x = nn.silu(nn.GroupNorm(8)(nn.ConvTranspose(c, (4, 4), strides=(2, 2))(x)))
        return nn.Conv(3, (3, 3))(x)


class Vae(nn.Module):
    latent: int = 128

    @nn.compact
    def __call__(self, x, key):
        mu, logvar = Encoder(self.latent)(x)
        z = mu + jnp.exp(0.5 * logvar) * jax.random.normal(key, mu.shape)
        return Decoder()(z), mu, logvar


@functools.partial(jax.jit, donate_argnums=0)
def train_step(state, images, key, beta):
    x = images.astype(jnp.float32) / 127.5 - 1.0

    def loss_fn(params):
        rec, mu, logvar = state.apply_fn({"params": params}, x, key)
        kl = 0.5 * (jnp.square(mu) + jnp.exp(logvar) - 1.0 - logvar).sum(-1).mean()
        return jnp.square(rec - x).sum((1, 2, 3)).mean() + beta * kl

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main():
    p = argparse.ArgumentParser()
    p.add_argument("images", help="uint8 npy, N x 64 x 64 x 3")
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--steps", type=int, default=60_000)
    p.add_argument("--beta", type=float, default=1.0)
    p.add_argument("--cache-dir", default="/tmp/jax_cache")
    args = p.parse_args()
    configure(args.cache_dir)

    data = np.load(args.images, mmap_mode="r")
    rng, key = np.random.default_rng(0), jax.random.key(0)
    model = Vae()
    params = model.init(key, jnp.zeros((1, 64, 64, 3)), key)["params"]
    tx = optax.chain(optax.clip_by_global_norm(10.0), optax.adam(2e-4))
    state = TrainState.create(apply_fn=model.apply, params=params, tx=tx)
    for step in range(args.steps):
        batch = data[np.sort(rng.integers(len(data), size=args.batch))]
        state, loss = train_step(state, batch, jax.random.fold_in(key, step), args.beta)
        if step % 500 == 0:
            print(step, float(loss))
    with open("vae.msgpack", "wb") as fh:
        fh.write(serialization.to_bytes(state.params))


if __name__ == "__main__":
    main()
