"""Kuramoto-Sivashinsky with a Fourier method; statistics over an ensemble (JAX)."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Grid(NamedTuple):
    length: float
    points: int
    dt: float


class Tables(NamedTuple):
    e: jax.Array
    e2: jax.Array
    q: jax.Array
    g: jax.Array


def tables(grid):
    """ETDRK2 coefficients; made once."""
    k = jnp.fft.rfftfreq(grid.points, grid.length / grid.points) * 2 * jnp.pi
    lin = k ** 2 - k ** 4
    safe = jnp.where(jnp.abs(lin) < 1e-7, 1e-7, lin)
    e = jnp.exp(grid.dt * lin)
    return Tables(
        e=e,
        e2=(e - 1) / safe,
        q=(e - 1 - grid.dt * lin) / (grid.dt * safe ** 2),
        g=-0.5j * k,
    )


def nonlinear(tab, v):
    return tab.g * jnp.fft.rfft(jnp.fft.irfft(v) ** 2)


@jax.jit
def advance(tab, v):
    n = nonlinear(tab, v)
    a = tab.e * v + tab.e2 * n
    return a + tab.q * (nonlinear(tab, a) - n)


@jax.jit
def chebyshev_smooth(u):
    """Six smoothing passes; the Python loop is unrolled when JAX traces it."""
    size = u.shape[-1]
    for _ in range(6):
        laplace = jnp.roll(jnp.eye(size), 1, 0) + jnp.roll(jnp.eye(size), -1, 0) - 2 * jnp.eye(size)
        u = u + 0.1 * laplace @ u
    return u


def lyapunov(tab, v, steps, key):
    """Largest exponent from the growth of a small disturbance."""
    w = v + 1e-6 * jax.random.normal(key, v.shape)
    total = 0.0
    for _ in range(steps):
        v, w = advance(tab, v), advance(tab, w)
        gap = jnp.linalg.norm(w - v)
        total += jnp.log(gap / 1e-6)
        w = v + (w - v) * (1e-6 / gap)
    return total / steps


def ensemble(grid, members, steps, seed=0):
    tab = tables(grid)
    key = jax.random.PRNGKey(seed)
    x = jnp.arange(grid.points) * grid.length / grid.points
    energies, exponents = [], []
    for _ in range(members):
        key, start, kick = jax.random.split(key, 3)
        phase = jax.random.uniform(start, (3,), maxval=2 * jnp.pi)
        u = sum(jnp.cos((m + 1) * 2 * jnp.pi * x / grid.length + phase[m]) for m in range(3))
        v = jnp.fft.rfft(u)
        for _ in range(steps):
            v = advance(tab, v)
        energies.append(jnp.sum(chebyshev_smooth(jnp.fft.irfft(v)) ** 2))
        exponents.append(lyapunov(tab, v, 200, kick))
    return np.asarray(jnp.stack(energies)), np.asarray(jnp.stack(exponents))


def main():
    for length in (22.0, 44.0, 88.0):
        grid = Grid(length=length, points=256, dt=0.25)
        energies, exponents = ensemble(grid, members=32, steps=4000)
        print(f"L={length}: energy {energies.mean():.3f}, exponent {exponents.mean() / grid.dt:.4f}")


if __name__ == "__main__":
    main()
