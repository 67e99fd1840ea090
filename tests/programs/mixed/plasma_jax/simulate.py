import argparse

import jax
import jax.numpy as jnp
import numpy as np

from plasma import Grid, electric, fit, make_loss
from plasma.fields import leapfrog


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=256)
    parser.add_argument("--particles", type=int, default=40_000)
    parser.add_argument("--steps", type=int, default=2_000)
    parser.add_argument("--dt", type=float, default=0.05)
    return parser.parse_args()


def energy(field):
    return 0.5 * jnp.sum(field**2)


def simulate(args, key):
    grid = Grid(args.cells, 10.0)
    left, right = jax.random.split(key)
    positions = jax.random.uniform(left, (args.particles,)) * args.cells
    speeds = jax.random.normal(right, (args.particles,))
    energies = []
    for step in range(args.steps):
        field = electric(positions, grid.wave_numbers, args.cells)
        positions, speeds = leapfrog(args.dt)(positions, speeds, field)  # finding: compiled-per-call
        if step % 10 == 0:
            energies.append(float(energy(field)))
    return positions, speeds, np.array(energies)


def main():
    args = parse()
    key = jax.random.PRNGKey(0)
    positions, speeds, energies = simulate(args, key)
    np.save("energies.npy", energies)
    loss = make_loss(Grid(args.cells, 10.0), speeds, 5)
    batches = [(positions, speeds)] * 4
    charge, history = fit(loss, 0.8, batches)
    print(charge, history[-1])


if __name__ == "__main__":
    main()
