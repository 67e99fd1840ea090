"""Fit Gaussian processes to tide-gauge series and impute the gaps.

usage: gp_fit.py --data gauges.csv --out filled.csv
"""
from functools import partial
import argparse
import csv

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import cho_factor, cho_solve


def rbf(x1, x2, lengthscale, variance):
    d = (x1[:, None] - x2[None, :]) / lengthscale
    return variance * jnp.exp(-0.5 * d * d)


def neg_log_likelihood(params, t, y):
    ls, var, noise = jnp.exp(params["ls"]), jnp.exp(params["var"]), jnp.exp(params["noise"])
    k = rbf(t, t, ls, var) + noise * jnp.eye(t.shape[0])
    c, low = cho_factor(k, lower=True)
    alpha = cho_solve((c, low), y)
    return 0.5 * y @ alpha + jnp.sum(jnp.log(jnp.diag(c)))


def posterior_mean(params, t, y, query):
    ls, var, noise = jnp.exp(params["ls"]), jnp.exp(params["var"]), jnp.exp(params["noise"])
    k = rbf(t, t, ls, var) + noise * jnp.eye(t.shape[0])
    return rbf(query, t, ls, var) @ jnp.linalg.solve(k, y)


def gradient_step(params, t, y, lr):
    objective = lambda p: neg_log_likelihood(p, t, y)
    value, grads = jax.jit(jax.value_and_grad(objective))(params)  # finding: compiled-per-call
    new = jax.tree_util.tree_map(lambda p, g: p - lr * g, params, grads)
    return new, value


def fit(t, y, steps=300, lr=0.02, tolerance=1e-4):
    params = {"ls": jnp.log(3.0), "var": jnp.log(1.0), "noise": jnp.log(0.1)}
    last = np.inf
    for step in range(steps):
        params, value = gradient_step(params, t, y, lr)
        if abs(last - float(value)) < tolerance:
            break
        last = float(value)
    return params


def fill(params, t, y, gaps, samples=64, seed=0):
    mean = posterior_mean(params, t, y, gaps)
    key = jax.random.PRNGKey(seed)
    draws = []
    while len(draws) < samples:
        key, sub = jax.random.split(key)

        @jax.jit  # finding: compiled-per-call
        def perturbed(noise):
            return posterior_mean(params, t, y + noise, gaps)

        jitter = jax.random.normal(sub, y.shape) * jnp.exp(0.5 * params["noise"])
        draws.append(np.asarray(perturbed(jitter)))
    return np.asarray(mean), np.std(np.stack(draws), axis=0)


def read(path):
    series = {}
    with open(path) as handle:
        for row in csv.DictReader(handle):
            value = float(row["level"]) if row["level"] else np.nan
            series.setdefault(row["gauge"], []).append((float(row["hour"]), value))
    return {name: np.array(rows, dtype=np.float32) for name, rows in series.items()}


@partial(jax.jit, static_argnums=1)
def detrend(y, degree):
    x = jnp.linspace(-1.0, 1.0, y.shape[0])
    basis = jnp.stack([x ** k for k in range(degree + 1)], axis=1)
    coef, *_ = jnp.linalg.lstsq(basis, y)
    return y - basis @ coef


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    with open(args.out, "w", newline="") as handle:
        out = csv.writer(handle)
        for name, rows in read(args.data).items():
            known = ~np.isnan(rows[:, 1])
            t, y = jnp.asarray(rows[known, 0]), detrend(jnp.asarray(rows[known, 1]), 2)
            params = fit(t, y)
            mean, std = fill(params, t, y, jnp.asarray(rows[~known, 0]))
            for hour, m, s in zip(rows[~known, 0], mean, std):
                out.writerow([name, hour, m, s])


if __name__ == "__main__":
    main()
