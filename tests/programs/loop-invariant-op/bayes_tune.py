"""Bayesian optimisation of the furnace schedule with a small Gaussian process."""
import json
import logging
import subprocess

import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.optimize import minimize
from scipy.stats import norm

log = logging.getLogger(__name__)

BOUNDS = np.array([[600.0, 1100.0], [5.0, 90.0], [0.0, 1.0], [1.0, 12.0]])


def matern52(a, b, length, variance):
    d = np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2 / length ** 2).sum(-1))
    s = np.sqrt(5.0) * d
    return variance * (1.0 + s + s ** 2 / 3.0) * np.exp(-s)


class Surrogate:
    def __init__(self, length, variance=1.0, noise=1e-4):
        self.length = np.asarray(length)
        self.variance = variance
        self.noise = noise
        self.x = None
        self.y = None
        self.k = None

    def fit(self, x, y):
        self.x = np.asarray(x)
        self.y_mean = np.mean(y)
        self.y = np.asarray(y) - self.y_mean
        self.k = matern52(self.x, self.x, self.length, self.variance)
        return self

    def posterior(self, q):
        chol = cholesky(self.k + self.noise * np.eye(len(self.x)), lower=True)  # note: loop-invariant-op
        weights = cho_solve((chol, True), self.y)  # note: loop-invariant-op
        kq = matern52(q, self.x, self.length, self.variance)
        mu = kq @ weights + self.y_mean
        v = cho_solve((chol, True), kq.T)
        var = self.variance - np.einsum("ij,ji->i", kq, v)
        return mu, np.sqrt(np.maximum(var, 1e-12))


def expected_improvement(q, gp, best):
    mu, sd = gp.posterior(np.atleast_2d(q))
    z = (best - mu) / sd
    return (best - mu) * norm.cdf(z) + sd * norm.pdf(z)


def propose(gp, best, rng, restarts=25):
    champion, value = None, np.inf
    starts = rng.uniform(BOUNDS[:, 0], BOUNDS[:, 1], size=(restarts, len(BOUNDS)))
    for start in starts:
        for _ in range(200):
            step = start + rng.normal(scale=0.02 * (BOUNDS[:, 1] - BOUNDS[:, 0]))
            step = np.clip(step, BOUNDS[:, 0], BOUNDS[:, 1])
            if expected_improvement(step, gp, best)[0] > expected_improvement(start, gp, best)[0]:
                start = step
        ei = expected_improvement(start, gp, best)[0]
        if -ei < value:
            champion, value = start, -ei
    return champion


def run_furnace(point):
    args = ["./furnace_sim", *("%.4f" % p for p in point)]
    return float(subprocess.run(args, capture_output=True, text=True, check=True).stdout)


def main(budget=60, seed=0):
    rng = np.random.default_rng(seed)
    xs = list(rng.uniform(BOUNDS[:, 0], BOUNDS[:, 1], size=(8, len(BOUNDS))))
    ys = [run_furnace(x) for x in xs]
    gp = Surrogate(length=[120.0, 20.0, 0.3, 3.0])
    for trial in range(budget):
        gp.fit(xs, ys)
        x = propose(gp, min(ys), rng)
        y = run_furnace(x)
        xs.append(x)
        ys.append(y)
        log.info("trial %d: %.4f (best %.4f)", trial, y, min(ys))
    best = int(np.argmin(ys))
    print(json.dumps({"x": list(xs[best]), "y": ys[best]}))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main()
