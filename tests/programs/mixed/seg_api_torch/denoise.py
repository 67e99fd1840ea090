"""Removes noise from a picture by gradient descent, in JAX."""

import functools

import jax
import jax.numpy as jnp


def total_variation(x):
    return jnp.abs(x[1:] - x[:-1]).sum() + jnp.abs(x[:, 1:] - x[:, :-1]).sum()


def energy(x, noisy, weight):
    return 0.5 * jnp.sum((x - noisy) ** 2) + weight * total_variation(x)


def denoise(noisy, weight, rate=0.05, steps=100):
    """Called for each picture that somebody sends."""

    @jax.jit  # finding: compiled-per-call
    def step(x):
        return x - rate * jax.grad(energy)(x, noisy, weight)

    x = noisy
    for _ in range(steps):
        x = step(x)
    return x


@functools.partial(jax.jit, static_argnames=("steps",))
def denoise_fast(noisy, weight, rate=0.05, steps=100):
    def body(_, x):
        return x - rate * jax.grad(energy)(x, noisy, weight)

    return jax.lax.fori_loop(0, steps, body, noisy)


def contrast(pixels, gamma):
    return jax.jit(lambda p: jnp.power(p, gamma))(pixels)  # finding: compiled-per-call


@functools.lru_cache(maxsize=None)
def resampler(size):
    return jax.jit(lambda p: jax.image.resize(p, (size, size), "bilinear"))
