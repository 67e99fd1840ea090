"""Gaussian-process regression and Bayesian optimisation in JAX (not jitted)."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


def rbf(a, b, scale):
    d = jnp.sum((a[:, None] - b[None]) ** 2, -1)
    return jnp.exp(-0.5 * d / scale**2)


def posterior(x, y, scale, noise, query):
    k = rbf(x, x, scale) + noise * jnp.eye(len(x))
    chol = jnp.linalg.cholesky(k)
    alpha = jax.scipy.linalg.cho_solve((chol, True), y)
    cross = rbf(query, x, scale)
    return cross @ alpha


def predict_stream(x, y, batches, scale=0.5, noise=1e-2):
    for query in batches:
        yield posterior(x, y, scale, noise, query)  # note: loop-invariant-op


def optimise(objective, bounds, steps=200):
    key = jax.random.PRNGKey(0)
    x = jax.random.uniform(key, (8, 2))
    y = objective(x)
    for _ in range(steps):
        key, sub = jax.random.split(key)
        candidates = jax.random.uniform(sub, (2048, 2)) * bounds
        mean = posterior(x, y, 0.5, 1e-2, candidates)
        best = candidates[jnp.argmax(mean)]
        x = jnp.concatenate([x, best[None]])
        y = jnp.concatenate([y, objective(best[None])])
    return x, y


@functools.partial(jax.jit, static_argnums=2)
def relax(state, coupling, turns):
    for _ in range(turns):
        symmetric = (coupling + coupling.T) / 2
        state = jnp.tanh(symmetric @ state)
    return state


def thompson(x, grid, draws, scale=0.5):
    key = jax.random.PRNGKey(1)
    samples = []
    while len(samples) < draws:
        key, sub = jax.random.split(key)
        cov = rbf(grid, grid, scale) + 1e-6 * jnp.eye(len(grid))
        samples.append(jax.random.multivariate_normal(sub, jnp.zeros(len(grid)), cov))
    return np.stack(samples)
