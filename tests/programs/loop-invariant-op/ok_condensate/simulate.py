"""Shows how a vortex in a condensate precesses.

    python simulate.py --duration 50 out.h5
"""

import argparse

import h5py
import jax
import jax.numpy as jnp
import numpy as np
from gpe.grid import Grid
from gpe.physics import vortex_seed
from gpe.solver import Solver

jax.config.update("jax_enable_x64", True)


def vortex_position(psi, grid):
    density = jnp.abs(psi) ** 2
    x, y = grid.positions()
    core = jnp.argmin(jnp.where(x**2 + y**2 < 9, density, jnp.inf))
    return np.array([x.ravel()[core], y.ravel()[core]])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--duration", type=float, default=50.0)
    parser.add_argument("--coupling", type=float, default=500.0)
    parser.add_argument("--dt", type=float, default=1e-3)
    args = parser.parse_args()

    grid = Grid()
    solver = Solver(grid, args.coupling, args.dt)
    times, tracks = [], []
    for time, psi in solver.evolve(vortex_seed(grid, at=1.0), args.duration, every=100):
        times.append(time)
        tracks.append(vortex_position(psi, grid))
    with h5py.File(args.target, "w") as file:
        file["time"] = times
        file["vortex"] = np.stack(tracks)


if __name__ == "__main__":
    main()
