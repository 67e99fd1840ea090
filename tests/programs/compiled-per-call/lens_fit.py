"""Fits gravitational lens parameters with scipy, gradients by JAX."""
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from astropy.io import fits
from scipy.optimize import minimize

jax.config.update("jax_enable_x64", True)

NAMES = ("einstein_radius", "x", "y", "q", "phi", "src_x", "src_y", "src_size")
START = np.array([1.2, 0.0, 0.0, 0.8, 0.3, 0.05, 0.02, 0.2])


def grid(n, pixel=0.05):
    ax = (jnp.arange(n) - (n - 1) / 2) * pixel
    return jnp.meshgrid(ax, ax)


def deflection(theta, x, y):
    r_e, x0, y0, q, phi = theta[:5]
    c, s = jnp.cos(phi), jnp.sin(phi)
    u, v = c * (x - x0) + s * (y - y0), -s * (x - x0) + c * (y - y0)
    root = jnp.sqrt(1 - q ** 2 + 1e-9)
    psi = jnp.sqrt(q ** 2 * u ** 2 + v ** 2 + 1e-9)
    au = r_e * jnp.sqrt(q) / root * jnp.arctan(root * u / psi)
    av = r_e * jnp.sqrt(q) / root * jnp.arctanh(root * v / (psi + 1e-9))
    return c * au - s * av, s * au + c * av


def image(theta, x, y):
    ax, ay = deflection(theta, x, y)
    sx, sy, size = theta[5:]
    return jnp.exp(-((x - ax - sx) ** 2 + (y - ay - sy) ** 2) / (2 * size ** 2))


class Fit:
    def __init__(self, data, noise):
        self.data = jnp.asarray(data)
        self.noise = noise
        self.x, self.y = grid(data.shape[0])

    def chi2(self, theta):
        return jnp.sum(((image(theta, self.x, self.y) - self.data) / self.noise) ** 2)

    def objective(self, theta):
        f = jax.jit(jax.value_and_grad(self.chi2))  # finding: compiled-per-call
        value, grad = f(jnp.asarray(theta))
        return float(value), np.asarray(grad)

    def run(self, start):
        return minimize(self.objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})

    def errors(self, theta):
        hess = jax.jit(jax.hessian(self.chi2))(jnp.asarray(theta))  # finding: compiled-per-call
        return np.sqrt(np.diag(np.linalg.inv(np.asarray(hess)) * 2))


def main(folder):
    for path in sorted(Path(folder).glob("*.fits")):
        with fits.open(path) as hdus:
            data, noise = np.asarray(hdus[0].data, float), float(hdus[0].header["RMS"])
        fit = Fit(data, noise)
        best = fit.run(START)
        for name, value, sigma in zip(NAMES, best.x, fit.errors(best.x)):
            print(f"{path.stem} {name:16s} {value: .4f} +- {sigma:.4f}")


if __name__ == "__main__":
    main(sys.argv[1])
