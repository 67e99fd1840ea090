"""Fits phase screens: the objective is compiled once per run and handed to the optimizer."""
import sys

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize


def build(pupil, image, reg):
    support = jnp.asarray(pupil) > 0

    @jax.jit
    def objective(flat):
        phase = jnp.zeros(support.shape).at[support].set(flat)
        field = jnp.fft.fftshift(jnp.fft.fft2(pupil * jnp.exp(1j * phase)))
        psf = jnp.abs(field) ** 2
        return jnp.mean((psf / psf.sum() - image) ** 2) + reg * jnp.mean(flat ** 2)

    grad = jax.jit(jax.grad(objective))
    return (lambda x: float(objective(x))), (lambda x: np.asarray(grad(x), dtype=float)), int(support.sum())


def main(path):
    data = np.load(path)
    image = data["image"] / data["image"].sum()
    f, g, n = build(data["pupil"], image, 1e-6)
    found = minimize(f, np.zeros(n), jac=g, method="L-BFGS-B", options={"maxiter": 400})
    np.save("phase.npy", found.x)
    print(found.fun, found.nit)


if __name__ == "__main__":
    main(sys.argv[1])
