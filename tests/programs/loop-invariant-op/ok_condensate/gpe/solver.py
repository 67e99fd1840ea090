"""Split-step integration."""

from collections.abc import Iterator

import jax.numpy as jnp

from .grid import Grid
from .physics import drift, kick, normalise, trap


class Solver:
    def __init__(self, grid: Grid, coupling: float, dt: float) -> None:
        self.grid = grid
        self.coupling = coupling
        self.dt = dt

    def advance(self, psi):
        potential = trap(self.grid)
        psi = kick(psi, potential, self.coupling, self.dt / 2)
        psi = drift(psi, self.grid, self.dt)
        return kick(psi, potential, self.coupling, self.dt / 2)

    def evolve(self, psi, duration: float, every: int) -> Iterator[tuple[float, jnp.ndarray]]:
        """The wave function after each `every` steps."""
        psi = normalise(psi, self.grid)
        time, step = 0.0, 0
        while time < duration:
            psi = self.advance(psi)
            time += self.dt
            step += 1
            if step % every == 0:
                yield time, psi
