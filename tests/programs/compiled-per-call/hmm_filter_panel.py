"""Regime switching for many currencies: a small HMM fitted by EM, in JAX."""
import argparse
import csv
from collections import defaultdict

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def read_returns(path):
    series = defaultdict(list)
    with open(path) as f:
        for row in csv.DictReader(f):
            series[row["pair"]].append(float(row["ret"]))
    return {k: np.asarray(v, np.float32) for k, v in series.items() if len(v) >= 500}


def log_emissions(params, y):
    mu, sigma = params["mu"], params["sigma"]
    z = (y[:, None] - mu) / sigma
    return -0.5 * z**2 - jnp.log(sigma)


def forward_backward(params, y):
    log_a = jnp.log(params["trans"])
    log_b = log_emissions(params, y)

    def forward(alpha, b):
        nxt = jax.nn.logsumexp(alpha[:, None] + log_a, axis=0) + b
        return nxt, nxt

    first = jnp.log(params["init"]) + log_b[0]
    _, alphas = lax.scan(forward, first, log_b[1:])  # finding: compiled-per-call
    alphas = jnp.concatenate([first[None], alphas])

    def backward(beta, b):
        prev = jax.nn.logsumexp(log_a + b + beta, axis=1)
        return prev, prev

    last = jnp.zeros_like(first)
    _, betas = lax.scan(backward, last, log_b[1:], reverse=True)  # finding: compiled-per-call
    betas = jnp.concatenate([betas, last[None]])
    total = jax.nn.logsumexp(alphas[-1])
    gamma = jnp.exp(alphas + betas - total)
    xi = jnp.exp(alphas[:-1, :, None] + log_a + (log_b[1:] + betas[1:])[:, None, :] - total)
    return gamma, xi.sum(0), total


def m_step(gamma, xi, y):
    weight = gamma.sum(0)
    mu = (gamma * y[:, None]).sum(0) / weight
    var = (gamma * (y[:, None] - mu) ** 2).sum(0) / weight
    return {
        "init": gamma[0],
        "trans": xi / xi.sum(1, keepdims=True),
        "mu": mu,
        "sigma": jnp.sqrt(var) + 1e-5,
    }


def fit(y, k, iterations, tol):
    y = jnp.asarray(y)
    spread = float(y.std())
    params = {
        "init": jnp.full(k, 1.0 / k),
        "trans": jnp.full((k, k), 0.05 / (k - 1)) + jnp.eye(k) * 0.9,
        "mu": jnp.linspace(-spread, spread, k),
        "sigma": jnp.full(k, spread),
    }
    previous = -np.inf
    for it in range(iterations):
        gamma, xi, total = forward_backward(params, y)
        params = m_step(gamma, xi, y)
        if float(total) - previous < tol:
            break
        previous = float(total)
    return params, previous


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("returns")
    parser.add_argument("--states", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--tol", type=float, default=1e-3)
    args = parser.parse_args()
    for pair, y in read_returns(args.returns).items():
        params, score = fit(y, args.states, args.iterations, args.tol)
        print(pair, score, np.round(np.asarray(params["mu"]) * 1e4, 1), np.round(np.diag(params["trans"]), 3))


if __name__ == "__main__":
    main()
