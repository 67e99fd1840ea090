import jax
import jax.numpy as jnp

from plasma.fields import electric, leapfrog


def make_loss(grid, observed, steps):
    step = leapfrog(0.1)
    waves = grid.wave_numbers

    def loss(charge, positions, speeds):
        for _ in range(steps):
            field = charge * electric(positions, waves, grid.cells)
            positions, speeds = step(positions, speeds, field)
        return jnp.mean((speeds - observed) ** 2)

    return loss


def fit(loss, charge, batches, rate=1e-2, rounds=200):
    history = []
    for turn in range(rounds):
        for positions, speeds in batches:
            value, slope = jax.jit(jax.value_and_grad(loss))(charge, positions, speeds)  # finding: compiled-per-call
            charge = charge - rate * slope
        history.append(float(value))
    return charge, history


def spread(loss, charges, positions, speeds):
    many = jax.jit(jax.vmap(loss, in_axes=(0, None, None)))
    return many(charges, positions, speeds)
