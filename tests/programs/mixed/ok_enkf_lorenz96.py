# requires: numpy==1.26
"""Localised ensemble Kalman filter on Lorenz-96, with adaptive inflation and a moving observing network."""
import argparse
import functools

import numpy as np


class Model:
    def __init__(self, n=400, forcing=8.0, dt=0.01):
        self.n, self.f, self.dt = n, forcing, dt

    def rhs(self, x):
        return (np.roll(x, -1, -1) - np.roll(x, 2, -1)) * np.roll(x, 1, -1) - x + self.f

    def step(self, x):
        k1 = self.rhs(x)
        k2 = self.rhs(x + 0.5 * self.dt * k1)
        k3 = self.rhs(x + 0.5 * self.dt * k2)
        k4 = self.rhs(x + self.dt * k3)
        return x + self.dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def gaspari(d, c):
    r = np.abs(d) / c
    near = 1 - 5 / 3 * r**2 + 5 / 8 * r**3 + r**4 / 2 - r**5 / 4
    far = 4 - 5 * r + 5 / 3 * r**2 + 5 / 8 * r**3 - r**4 / 2 + r**5 / 12 - 2 / (3 * np.maximum(r, 1e-9))
    return np.where(r < 1, near, np.where(r < 2, far, 0.0))


@functools.lru_cache(maxsize=None)
def taper(n, c):
    d = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return gaspari(np.minimum(d, n - d), c)


class Network:
    """Observing platforms that drift; `where` is rewritten by advance()."""

    def __init__(self, n, m, sigma, rng):
        self.n, self.rng = n, rng
        self.where = np.sort(rng.choice(n, m, replace=False))
        self.r = np.full(m, sigma**2)

    def advance(self):
        self.where[:] = np.sort(self.rng.choice(self.n, len(self.where), replace=False))
        if self.rng.random() < 0.2:
            self.degrade(int(self.rng.integers(len(self.r))))

    def degrade(self, i):
        self.r[i] *= 1.05

    def observe(self, truth):
        return truth[self.where] + np.sqrt(self.r) * self.rng.standard_normal(len(self.r))


class Filter:
    def __init__(self, net, n, c, infl):
        self.net, self.n, self.c, self.infl = net, n, c, infl

    def covariance(self, ens):
        a = ens - ens.mean(0)
        return taper(self.n, self.c) * (a.T @ a) / (len(ens) - 1)

    def gain(self, p):
        w = self.net.where
        s = p[np.ix_(w, w)] + np.diag(self.net.r)
        return p[:, w] @ np.linalg.inv(s)

    def whiten(self):
        return np.linalg.cholesky(np.diag(self.net.r))

    def analyse(self, ens, y, rng):
        mean = ens.mean(0)
        ens = mean + self.infl * (ens - mean)
        k = self.gain(self.covariance(ens))
        noisy = y + rng.standard_normal((len(ens), len(y))) @ self.whiten().T
        innov = noisy - ens[:, self.net.where]
        self.adapt(innov)
        return ens + innov @ k.T

    def adapt(self, innov):
        ratio = np.mean(innov.mean(0) ** 2 / self.net.r)
        self.infl = float(np.clip(0.99 * self.infl + 0.01 * np.sqrt(max(ratio, 0.1)), 1.0, 1.5))


def experiment(cycles, members, every, seed):
    rng = np.random.default_rng(seed)
    model = Model()
    truth = model.f + rng.standard_normal(model.n)
    spin = 0
    while spin < 2000:
        truth = model.step(truth)
        spin += 1
    ens = truth + rng.standard_normal((members, model.n))
    net = Network(model.n, model.n // 2, 1.0, rng)
    kf = Filter(net, model.n, 10.0, 1.05)
    for _ in range(cycles):
        for _ in range(every):
            truth, ens = model.step(truth), model.step(ens)
        net.advance()
        ens = kf.analyse(ens, net.observe(truth), rng)
        yield float(np.sqrt(np.mean((ens.mean(0) - truth) ** 2)))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--cycles", type=int, default=1000)
    ap.add_argument("--members", type=int, nargs="*", default=[20, 40])
    a = ap.parse_args()
    for m in a.members:
        rmse = np.fromiter(experiment(a.cycles, m, 5, 11), float)
        print(m, rmse[len(rmse) // 4:].mean())


if __name__ == "__main__":
    main()
