# Kuramoto-Sivashinsky equation in 2D, pseudo-spectral with ETDRK2
import sys
import time

import matplotlib.pyplot as plt
import numpy as np


class KSSolver(object):

    def __init__(self, n=256, length=32 * np.pi, dt=0.05, seed=0):
        self.n = n
        self.length = length
        self.dt = dt
        rs = np.random.RandomState(seed)
        u = 0.01 * rs.randn(n, n)
        self.v = np.fft.fft2(u)
        self.t = 0.0

    def wavenumbers(self):
        k = 2 * np.pi * np.fft.fftfreq(self.n, d=self.length / self.n)
        return np.meshgrid(k, k, indexing="ij")

    def nonlinear(self, v):
        kx, ky = self.wavenumbers()
        ux = np.real(np.fft.ifft2(1j * kx * v))
        uy = np.real(np.fft.ifft2(1j * ky * v))
        mask = self.dealias(kx, ky)
        return -0.5 * mask * np.fft.fft2(ux ** 2 + uy ** 2)

    def dealias(self, kx, ky):
        kmax = np.pi * self.n / self.length
        return (np.abs(kx) < 2. / 3 * kmax) & (np.abs(ky) < 2. / 3 * kmax)

    def step(self):
        kx, ky = self.wavenumbers()
        k2 = kx ** 2 + ky ** 2
        lin = k2 - k2 ** 2
        e = np.exp(self.dt * lin)
        with np.errstate(divide="ignore", invalid="ignore"):
            phi = np.where(np.abs(lin) < 1e-10, self.dt, (e - 1) / lin)
        n0 = self.nonlinear(self.v)
        a = e * self.v + phi * n0
        n1 = self.nonlinear(a)
        self.v = a + 0.5 * phi * (n1 - n0)
        self.v[0, 0] = 0
        self.t += self.dt

    @property
    def u(self):
        return np.real(np.fft.ifft2(self.v))


def energy(u):
    return 0.5 * np.mean(u ** 2)


def main(t_end=200.0, every=100):
    solver = KSSolver()
    started = time.time()
    history = []
    steps = int(t_end / solver.dt)
    for i in range(steps):
        solver.step()
        if i % every == 0:
            history.append((solver.t, energy(solver.u)))
            print("%6d  t=%.2f  E=%.5f  (%.1fs)" % (i, solver.t, history[-1][1], time.time() - started))
    t, e = zip(*history)
    plt.plot(t, e)
    plt.savefig("energy.png")
    plt.imshow(solver.u, cmap="RdBu")
    plt.savefig("u.png")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 200.0)
