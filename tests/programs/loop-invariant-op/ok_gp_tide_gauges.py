"""Slice sampling of Gaussian process hyperparameters for the tide gauge series.

Follows Murray & Adams (2010), without the whitening.  Writes the samples to an npz.
"""
import argparse

import numpy as np
from scipy import linalg


def sq_dist(a, b):
    return np.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1)


class Kernel:
    def __init__(self, variance=1.0, lengthscale=1.0):
        self.variance = variance
        self.lengthscale = lengthscale

    def set(self, theta):
        self.variance, self.lengthscale = np.exp(theta[0]), np.exp(theta[1])

    def __call__(self, a, b):
        raise NotImplementedError


class RBF(Kernel):
    def __call__(self, a, b):
        r2 = sq_dist(a, b)
        return self.variance * np.exp(-0.5 * r2 / self.lengthscale ** 2)


def log_prior(theta):
    return -0.5 * np.sum((theta / 2.0) ** 2)


def log_likelihood(theta, kernel, x, y):
    kernel.set(theta)
    k = kernel(x, x)
    k += np.exp(2 * theta[2]) * np.eye(len(x))
    try:
        c = linalg.cholesky(k, lower=True)
    except linalg.LinAlgError:
        return -np.inf
    alpha = linalg.cho_solve((c, True), y)
    return -0.5 * y @ alpha - np.log(np.diag(c)).sum()


def slice_sample(logp, theta, rng, width=1.0):
    """One sweep over the coordinates (Neal, 2003)."""
    for d in rng.permutation(len(theta)):
        height = logp(theta) + np.log(rng.random())
        left = theta.copy()
        left[d] -= width * rng.random()
        right = left.copy()
        right[d] += width
        while logp(left) > height:
            left[d] -= width
        while logp(right) > height:
            right[d] += width
        while True:
            proposal = theta.copy()
            proposal[d] = rng.uniform(left[d], right[d])
            if logp(proposal) > height:
                theta = proposal
                break
            if proposal[d] < theta[d]:
                left[d] = proposal[d]
            else:
                right[d] = proposal[d]
    return theta


def run(x, y, n_samples, seed):
    rng = np.random.default_rng(seed)
    kernel = RBF()

    def logp(theta):
        return log_prior(theta) + log_likelihood(theta, kernel, x, y)

    theta = np.zeros(3)
    out = np.empty((n_samples, 3))
    for i in range(n_samples):
        theta = slice_sample(logp, theta, rng)
        out[i] = theta
        if i % 50 == 0:
            print(i, np.exp(theta))
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("series")
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="samples.npz")
    args = parser.parse_args()
    table = np.loadtxt(args.series, delimiter=",", skiprows=1)
    x = table[:, :2]
    y = table[:, 2] - table[:, 2].mean()
    np.savez(args.out, theta=run(x, y, args.samples, args.seed))


if __name__ == "__main__":
    main()
