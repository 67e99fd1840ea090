# requires: numpy==1.24 scipy==1.10
"""Bayesian optimisation of a reactor recipe; EI is searched by a small evolutionary loop."""
import argparse
import csv
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.stats import norm


@dataclass(frozen=True)
class Space:
    lo: np.ndarray
    hi: np.ndarray

    def sample(self, rng, n):
        return rng.uniform(self.lo, self.hi, (n, len(self.lo)))

    def unit(self, x):
        return (x - self.lo) / (self.hi - self.lo)


def matern52(a, b, ls):
    d = np.sqrt(np.maximum(((a[:, None] - b[None]) / ls) ** 2, 0).sum(-1)) * np.sqrt(5)
    return (1 + d + d * d / 3) * np.exp(-d)


class GP:
    def __init__(self, space, noise=1e-3):
        self.space, self.noise, self.ls = space, noise, 0.3
        self.x, self.y = np.zeros((0, len(space.lo))), np.zeros(0)

    def tell(self, x, y):
        self.x, self.y = np.vstack([self.x, x]), np.append(self.y, y)

    def _factor(self, ls):
        u = self.space.unit(self.x)
        return cho_factor(matern52(u, u, ls) + self.noise * np.eye(len(u)), lower=True)

    def fit(self, grid):
        def nll(ls):
            c = self._factor(ls)
            y = self.y - self.y.mean()
            return 0.5 * y @ cho_solve(c, y) + np.log(np.diag(c[0])).sum()
        self.ls = min(grid, key=nll)

    def posterior(self, q):
        c = self._factor(self.ls)  # finding: loop-invariant-op
        ks = matern52(self.space.unit(q), self.space.unit(self.x), self.ls)
        mu = self.y.mean() + ks @ cho_solve(c, self.y - self.y.mean())  # finding: loop-invariant-op
        var = 1.0 - np.einsum("ij,ji->i", ks, cho_solve(c, ks.T))
        return mu, np.sqrt(np.maximum(var, 1e-12))


class EI:
    def __init__(self, gp):
        self.gp = gp
        self.best = gp.y.max()

    def __call__(self, q):
        mu, sd = self.gp.posterior(q)
        z = (mu - self.best) / sd
        return (mu - self.best) * norm.cdf(z) + sd * norm.pdf(z)


def evolve(score, space, rng, pop=48, gens=300):
    x = space.sample(rng, pop)
    f = score(x)
    sigma, g = 0.2, 0
    while g < gens:
        kids = x + sigma * (space.hi - space.lo) * rng.standard_normal(x.shape)
        kids = np.clip(kids, space.lo, space.hi)
        fk = score(kids)
        pool, fit = np.vstack([x, kids]), np.append(f, fk)
        keep = np.argsort(-fit)[:pop]
        x, f = pool[keep], fit[keep]
        sigma *= 0.99
        g += 1
    return x[0]


def simulator(x):
    t, p, c, r, h, m = x
    yield_ = np.exp(-((t - 410) / 60) ** 2) * np.tanh(p / 8) * (1 - np.exp(-c * r))
    return float(yield_ - 0.02 * h + 0.05 * np.sin(3 * m))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--history", help="csv with past experiments")
    ap.add_argument("--rounds", type=int, default=40)
    a = ap.parse_args()
    rng = np.random.default_rng(0)
    space = Space(np.array([300, 1, 0.1, 0.1, 0, 0.0]), np.array([500, 20, 2, 3, 5, 2.0]))
    gp = GP(space)
    if a.history:
        with open(a.history) as fh:
            for row in csv.reader(fh):
                *x, y = map(float, row)
                gp.tell(x, y)
    else:
        for x in space.sample(rng, 800):
            gp.tell(x, simulator(x))
    for r in range(a.rounds):
        gp.fit(np.geomspace(0.05, 2, 12))
        x = evolve(EI(gp), space, rng)
        y = simulator(x)
        gp.tell(x, y)
        print(r, y, gp.y.max())


if __name__ == "__main__":
    main()
