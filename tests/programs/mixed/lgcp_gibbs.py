#!/usr/bin/env python
"""Metropolis-within-Gibbs for a spatial probit model on ~2500 survey plots.

The range parameter is fixed from the variogram; only the latent field, the
regression coefficients and the nugget are sampled.
"""
import sys
import time

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import ndtr, ndtri


class Survey:
    def __init__(self, path):
        raw = np.genfromtxt(path, delimiter=",", skip_header=1)
        self.xy = raw[:, :2]
        self.X = np.column_stack([np.ones(len(raw)), raw[:, 2:-1]])
        self.y = raw[:, -1].astype(bool)

    def __len__(self):
        return len(self.y)


def matern32(xy, ell):
    r = np.sqrt(3.0) * cdist(xy, xy) / ell
    return (1.0 + r) * np.exp(-r)


def prior_precision(xy, ell):
    K = matern32(xy, ell)
    return np.linalg.inv(K + 1e-6 * np.eye(len(xy)))


def draw_latent(rng, mean, y):
    u = rng.uniform(size=mean.shape)
    lo = np.where(y, ndtr(-mean), 0.0)
    hi = np.where(y, 1.0, ndtr(-mean))
    return mean + ndtri(np.clip(lo + u * (hi - lo), 1e-12, 1 - 1e-12))


def draw_field(rng, survey, resid, nugget, ell):
    Q = prior_precision(survey.xy, ell)
    P = Q + np.eye(len(survey)) / nugget
    L = np.linalg.cholesky(P)
    m = np.linalg.solve(L.T, np.linalg.solve(L, resid / nugget))
    return m + np.linalg.solve(L.T, rng.standard_normal(len(resid)))


def draw_beta(rng, X, gram, target, nugget, ridge):
    A = gram / nugget + ridge
    L = np.linalg.cholesky(A)
    m = np.linalg.solve(A, X.T @ target / nugget)
    return m + np.linalg.solve(L.T, rng.standard_normal(X.shape[1]))


def draw_nugget(rng, resid, a=3.0, b=1.0):
    return 1.0 / rng.gamma(a + 0.5 * resid.size, 1.0 / (b + 0.5 * resid @ resid))


def sweep(rng, survey, st, ell, gram, prior):
    z = draw_latent(rng, survey.X @ st["beta"] + st["w"], survey.y)
    st["w"] = draw_field(rng, survey, z - survey.X @ st["beta"], st["nugget"], ell)
    st["beta"] = draw_beta(rng, survey.X, gram, z - st["w"], st["nugget"], prior)
    st["nugget"] = draw_nugget(rng, z - st["w"] - survey.X @ st["beta"])
    return st


def run(survey, ell, n_keep=4000, burn=1000, thin=5, seed=3):
    rng = np.random.default_rng(seed)
    p = survey.X.shape[1]
    prior = np.eye(p) / 10.0
    gram = survey.X.T @ survey.X
    st = {"beta": np.zeros(p), "w": np.zeros(len(survey)), "nugget": 1.0}
    kept, it, t0 = [], 0, time.time()
    while len(kept) < n_keep:
        st = sweep(rng, survey, st, ell, gram, prior)  # finding: loop-invariant-op
        it += 1
        if it > burn and it % thin == 0:
            kept.append(np.concatenate([st["beta"], [st["nugget"]]]))
        if it % 100 == 0:
            print(f"{it:6d}  {(time.time() - t0) / it:.2f} s/sweep", file=sys.stderr)
    return np.asarray(kept)


if __name__ == "__main__":
    plots = Survey(sys.argv[1])
    for ell in (0.5, 1.0, 2.0):
        k = matern32(plots.xy[:50], ell)
        print("condition", ell, np.linalg.cond(k))
    draws = run(plots, ell=float(sys.argv[2]) if len(sys.argv) > 2 else 1.2)
    np.save("draws.npy", draws)
    print(draws.mean(0), draws.std(0))
