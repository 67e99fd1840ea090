"""Reconstruct CT slices from few projections with proximal gradients (JAX)."""
import dataclasses
import pathlib
import time

import click
import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass
class Problem:
    matrix: jax.Array
    sinogram: jax.Array
    weight: float


def soft_threshold(x, amount):
    return jnp.sign(x) * jnp.maximum(jnp.abs(x) - amount, 0.0)


def lipschitz(matrix):
    """Largest eigenvalue of A'A."""
    return jnp.linalg.norm(matrix.T @ matrix, ord=2)


def data_gradient(problem, x):
    return problem.matrix.T @ (problem.matrix @ x - problem.sinogram)


def objective(problem, x):
    residual = problem.matrix @ x - problem.sinogram
    return 0.5 * jnp.vdot(residual, residual) + problem.weight * jnp.sum(jnp.abs(x))


def prox_step(problem, x):
    step = 1.0 / lipschitz(problem.matrix)  # note: loop-invariant-op
    return soft_threshold(x - step * data_gradient(problem, x), step * problem.weight)


def momentum(t):
    return 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))


def fista(problem, x0, tolerance, max_iterations):
    x, z, t = x0, x0, 1.0
    change, iteration = np.inf, 0
    while change > tolerance and iteration < max_iterations:
        x_next = prox_step(problem, z)
        t_next = momentum(t)
        z = x_next + (t - 1.0) / t_next * (x_next - x)
        change = float(jnp.linalg.norm(x_next - x) / jnp.maximum(jnp.linalg.norm(x), 1e-8))
        x, t = x_next, t_next
        iteration += 1
    return x, iteration


def read_slices(folder):
    for path in sorted(pathlib.Path(folder).glob("slice_*.npz")):
        with np.load(path) as blob:
            yield path.stem, jnp.asarray(blob["sinogram"].ravel())


@click.command()
@click.argument("system", type=click.Path(exists=True))
@click.argument("folder", type=click.Path(exists=True))
@click.option("--weight", default=0.05)
@click.option("--tolerance", default=1e-5)
@click.option("--max-iterations", default=2000)
def main(system, folder, weight, tolerance, max_iterations):
    matrix = jnp.asarray(np.load(system))
    for name, sinogram in read_slices(folder):
        problem = Problem(matrix, sinogram, weight)
        start = time.perf_counter()
        x, used = fista(problem, jnp.zeros(matrix.shape[1]), tolerance, max_iterations)
        side = int(np.sqrt(x.size))
        np.save(f"{name}_recon.npy", np.asarray(x).reshape(side, side))
        value = float(objective(problem, x))
        click.echo(f"{name}: {used} iterations, {value:.4g}, {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
