"""Mixture of Gaussians by EM, with restarts, for the cytometry panel."""
from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass
class Mixture:
    weights: np.ndarray
    means: np.ndarray
    covs: np.ndarray
    trace: list = field(default_factory=list)


def log_gauss(x, mean, cov):
    chol = np.linalg.cholesky(cov)
    z = np.linalg.solve(chol, (x - mean).T)
    d = x.shape[1]
    return -0.5 * (z ** 2).sum(axis=0) - np.log(np.diag(chol)).sum() - 0.5 * d * np.log(2 * np.pi)


def responsibilities(x, mix):
    logs = np.stack([log_gauss(x, m, c) for m, c in zip(mix.means, mix.covs)], axis=1)
    logs += np.log(mix.weights)
    top = logs.max(axis=1, keepdims=True)
    total = top + np.log(np.exp(logs - top).sum(axis=1, keepdims=True))
    return np.exp(logs - total), total.mean()


def maximise(x, resp, ridge):
    nk = resp.sum(axis=0)
    means = (resp.T @ x) / nk[:, None]
    covs = np.empty((len(nk), x.shape[1], x.shape[1]))
    for k in range(len(nk)):
        diff = x - means[k]
        covs[k] = (resp[:, k, None] * diff).T @ diff / nk[k] + ridge
    return Mixture(nk / len(x), means, covs)


def fit(x, k, rng, iterations=200, tol=1e-5):
    ridge = 1e-6 * np.eye(x.shape[1])
    centre, spread = x.mean(axis=0), np.cov(x.T)
    mix = Mixture(
        np.full(k, 1.0 / k),
        rng.multivariate_normal(centre, spread, size=k),
        np.stack([spread] * k),
    )
    trace = []
    for _ in range(iterations):
        resp, bound = responsibilities(x, mix)
        mix = maximise(x, resp, ridge)
        trace.append(bound)
        if len(trace) > 1 and trace[-1] - trace[-2] < tol:
            break
    mix.trace = trace
    return mix


def best_of(x, k, restarts=10, seed=0):
    rng = np.random.default_rng(seed)
    best = None
    for _ in range(restarts):
        mix = fit(x, k, rng)
        if best is None or mix.trace[-1] > best.trace[-1]:
            best = mix
    return best


def bic(x, mix):
    k, d = mix.means.shape
    free = k - 1 + k * d + k * d * (d + 1) // 2
    return -2 * mix.trace[-1] * len(x) + free * np.log(len(x))


if __name__ == "__main__":
    panel = pd.read_csv("panel.csv")
    x = np.arcsinh(panel.to_numpy() / 5.0)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    scores = {}
    for k in range(2, 15):
        mix = best_of(x, k)
        scores[k] = bic(x, mix)
        print(k, scores[k])
    print("best", min(scores, key=scores.get))
