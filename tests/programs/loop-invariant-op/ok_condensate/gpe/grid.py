"""The grid that a wave function lives on, and what follows from it."""

from dataclasses import dataclass

import jax.numpy as jnp


@dataclass(frozen=True)
class Grid:
    points: int = 1024
    length: float = 40.0

    @property
    def spacing(self) -> float:
        return self.length / self.points

    def positions(self):
        x = (jnp.arange(self.points) - self.points // 2) * self.spacing
        return jnp.meshgrid(x, x, indexing="ij")

    def squared_momenta(self):
        k = 2 * jnp.pi * jnp.fft.fftfreq(self.points, d=self.spacing)
        return k[:, None] ** 2 + k[None, :] ** 2
