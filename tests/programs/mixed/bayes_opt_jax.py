# requires: jax==0.4.30
"""Bayesian optimisation of the settings of an experiment, with a Gaussian process."""

import argparse
import csv
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Posterior(NamedTuple):
    x: jnp.ndarray
    y: jnp.ndarray
    kernel: jnp.ndarray
    noise: float


class Search(NamedTuple):
    best: float
    evaluated: int
    trace: tuple


def rbf(a, b, length=0.2):
    distance = jnp.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1)
    return jnp.exp(-0.5 * distance / length**2)


def fit(x, y, noise=1e-3):
    return Posterior(x, y, rbf(x, x) + noise * jnp.eye(len(x)), noise)


def predict(posterior, points):
    """Mean and spread at the points."""
    factor = jax.scipy.linalg.cho_factor(posterior.kernel)
    cross = rbf(points, posterior.x)
    mean = cross @ jax.scipy.linalg.cho_solve(factor, posterior.y)
    spread = 1.0 - jnp.sum(cross * jax.scipy.linalg.cho_solve(factor, cross.T).T, axis=-1)
    return mean, jnp.sqrt(jnp.maximum(spread, 1e-9))


def improvement(posterior, points, best):
    mean, spread = predict(posterior, points)
    z = (mean - best) / spread
    return spread * (z * jax.scipy.stats.norm.cdf(z) + jax.scipy.stats.norm.pdf(z))


def propose(posterior, key, best, rounds=50, width=512):
    """Looks at random places, round after round."""
    champion, value = None, -np.inf
    for _ in range(rounds):  # finding: eager-loop
        key, sub = jax.random.split(key)
        points = jax.random.uniform(sub, (width, posterior.x.shape[1]))
        scores = improvement(posterior, points, best)  # finding: loop-invariant-op
        top = int(jnp.argmax(scores))
        if scores[top] > value:
            champion, value = points[top], float(scores[top])
    return champion


def measure(settings):
    raise NotImplementedError("the experiment is run by hand")


def optimise(x, y, key, budget, run=measure):
    state = Search(float(jnp.max(y)), 0, ())
    while state.evaluated < budget:
        key, sub = jax.random.split(key)
        posterior = fit(x, y)
        settings = propose(posterior, sub, state.best)
        result = run(np.asarray(settings))
        x = jnp.concatenate([x, settings[None]])
        y = jnp.append(y, result)
        state = state._replace(
            best=max(state.best, result), evaluated=state.evaluated + 1, trace=state.trace + (result,)
        )
    return x, y, state


def leave_one_out(x, y, lengths):
    """The length scale that predicts best, of a long list of them."""
    scores = []
    for length in lengths:
        kernel = rbf(x, x, length) + 1e-3 * jnp.eye(len(x))
        inverse = jnp.linalg.inv(kernel)
        residual = (inverse @ y) / jnp.diag(inverse)
        centred = residual / jnp.std(y - jnp.median(y))
        scores.append(float(jnp.mean(centred**2)))
    return lengths[int(np.argmin(scores))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("--budget", type=int, default=20)
    args = parser.parse_args()
    with open(args.table) as f:
        rows = np.array([[float(v) for v in row] for row in csv.reader(f)])
    x, y = jnp.asarray(rows[:, :-1]), jnp.asarray(rows[:, -1])
    print("length", leave_one_out(x, y, np.geomspace(0.01, 10.0, 300)))
    x, y, state = optimise(x, y, jax.random.PRNGKey(0), args.budget, lambda s: float(input(f"{s}: ")))
    print(state)


if __name__ == "__main__":
    main()
