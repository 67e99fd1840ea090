"""A double well, its energy and force."""

import jax
import jax.numpy as jnp


def energy(position):
    return jnp.sum((position**2 - 1.0) ** 2) + 0.1 * jnp.sum(position)


force = jax.grad(energy)
