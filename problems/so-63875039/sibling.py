"""Langevin dynamics of a particle, step by step, with JAX."""

import jax
import jax.numpy as jnp
import numpy as np
from sibling_well import energy, force


class Langevin:
    def __init__(self, step_size, warmth):
        self.step_size = step_size
        self.warmth = warmth

    def move(self, position, key):
        drift = -self.step_size * force(position)
        noise = jax.random.normal(key, position.shape)
        return position + drift + np.sqrt(2 * self.step_size * self.warmth) * noise

    def run(self, position, steps, key):
        lowest = energy(position)
        for turn in range(steps):  # finding
            position = self.move(position, jax.random.fold_in(key, turn))
            lowest = jnp.minimum(lowest, energy(position))
        return position, lowest


def main():
    dynamics = Langevin(step_size=0.01, warmth=0.5)
    position, lowest = dynamics.run(jnp.zeros(3), 300, jax.random.key(2))
    return np.asarray(position), float(lowest)


if __name__ == "__main__":
    print(main())
