"""Operators of the Gross-Pitaevskii equation, in units of the trap."""

import jax.numpy as jnp

from .grid import Grid


def trap(grid: Grid, omega: float = 1.0, ellipticity: float = 0.03):
    x, y = grid.positions()
    return 0.5 * omega**2 * ((1 + ellipticity) * x**2 + (1 - ellipticity) * y**2)


def kinetic_phase(grid: Grid, dt: float):
    return jnp.exp(-0.5j * dt * grid.squared_momenta())


def drift(psi, grid: Grid, dt: float):
    return jnp.fft.ifft2(jnp.fft.fft2(psi) * kinetic_phase(grid, dt))


def kick(psi, potential, coupling: float, dt: float):
    return psi * jnp.exp(-1j * dt * (potential + coupling * jnp.abs(psi) ** 2))


def normalise(psi, grid: Grid):
    return psi / jnp.sqrt(jnp.sum(jnp.abs(psi) ** 2) * grid.spacing**2)


def vortex_seed(grid: Grid, at: float):
    x, y = grid.positions()
    return jnp.exp(-(x**2 + y**2) / 8) * jnp.exp(1j * jnp.arctan2(y, x - at))
