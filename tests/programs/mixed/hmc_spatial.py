"""Latent Gaussian field for malaria prevalence, sampled with HMC (NumPy only)."""
import argparse

import numpy as np


class Field:
    """Zero-mean Gaussian process over the survey sites."""

    def __init__(self, sites, reach=0.4, scale=1.0, nugget=1e-3):
        gap = np.linalg.norm(sites[:, None] - sites[None], axis=-1)
        self.cov = scale * np.exp(-gap / reach) + nugget * np.eye(len(sites))

    @property
    def precision(self):
        return np.linalg.inv(self.cov)  # finding: loop-invariant-op

    def energy(self, f):
        return 0.5 * f @ (self.precision @ f)

    def force(self, f):
        return -(self.precision @ f)


class Binomial:
    def __init__(self, positive, tested):
        self.y, self.n = positive, tested

    def energy(self, f):
        return -np.sum(self.y * f - self.n * np.logaddexp(0.0, f))

    def force(self, f):
        return self.y - self.n / (1.0 + np.exp(-f))


class Posterior:
    def __init__(self, *terms):
        self.terms = terms

    def energy(self, f):
        return sum(t.energy(f) for t in self.terms)

    def force(self, f):
        return sum(t.force(f) for t in self.terms)


def leapfrog(target, q, p, eps, n):
    p = p + 0.5 * eps * target.force(q)
    k = 0
    while k < n:
        q = q + eps * p
        k += 1
        p = p + (eps if k < n else 0.5 * eps) * target.force(q)
    return q, p


def chain(target, start, rng, eps=0.02, n=15):
    q, u = start, target.energy(start)
    while True:
        p = rng.standard_normal(q.shape)
        q1, p1 = leapfrog(target, q, p, eps * rng.uniform(0.8, 1.2), n)  # finding: loop-invariant-op
        u1 = target.energy(q1)  # finding: loop-invariant-op
        accept = np.log(rng.random()) < (u + 0.5 * p @ p) - (u1 + 0.5 * p1 @ p1)
        if accept:
            q, u = q1, u1
        yield q, accept


def run(target, start, draws, warm, rng):
    kept, hits = [], 0
    for i, (q, ok) in enumerate(chain(target, start, rng)):
        if i >= warm + draws:
            break
        hits += ok
        if i >= warm:
            kept.append(1.0 / (1.0 + np.exp(-q)))
    return np.stack(kept), hits / (warm + draws)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--sites", type=int, default=600)
    ap.add_argument("--draws", type=int, default=1000)
    ap.add_argument("--seed", type=int, default=0)
    o = ap.parse_args()
    rng = np.random.default_rng(o.seed)
    sites = rng.random((o.sites, 2))
    truth = np.sin(4 * sites[:, 0]) * np.cos(3 * sites[:, 1]) - 0.5
    tested = rng.integers(20, 80, o.sites)
    positive = rng.binomial(tested, 1 / (1 + np.exp(-truth)))
    target = Posterior(Field(sites), Binomial(positive, tested))
    sample, rate = run(target, np.zeros(o.sites), o.draws, o.draws // 2, rng)
    print("acceptance %.2f  rmse %.3f" % (
        rate, np.sqrt(np.mean((sample.mean(0) - 1 / (1 + np.exp(-truth))) ** 2))))


if __name__ == "__main__":
    main()
