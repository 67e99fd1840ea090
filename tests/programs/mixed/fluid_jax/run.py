import argparse
import itertools

import jax
import jax.numpy as jnp
import numpy as np

from forces import Langevin, State, energy, pressure, radial


def lattice(side, spacing):
    points = itertools.product(range(side), repeat=3)
    return jnp.array(list(points), float) * spacing


def relax(position, box, steps):
    rate = 1e-3
    for _ in range(steps):
        value, slope = jax.jit(jax.value_and_grad(lambda r: energy(r, box)))(position)  # finding: compiled-per-call
        position = position - rate * jnp.clip(slope, -10, 10)
        if jnp.linalg.norm(slope) < 1e-3:
            break
    return position


def relax_fast(position, box, steps):
    both = jax.jit(jax.value_and_grad(lambda r: energy(r, box)))
    for _ in range(steps):
        _, slope = both(position)
        position = position - 1e-3 * jnp.clip(slope, -10, 10)
    return position


def scanned(integrator, state, key, steps):
    def body(carry, k):
        inner = jax.jit(integrator.step)
        return inner(carry, k), None

    return jax.lax.scan(body, state, jax.random.split(key, steps))[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=8)
    parser.add_argument("--steps", type=int, default=100_000)
    args = parser.parse_args()
    box = args.side * 1.2
    position = relax(lattice(args.side, 1.2), box, 500)
    position = relax_fast(position, box, 500)
    key = jax.random.PRNGKey(0)
    integrator = Langevin(box, 2e-3, 0.5, 1.0)
    state = State(position, jnp.zeros_like(position), integrator.force(position))
    state = scanned(integrator, state, key, 1000)
    trace, shells = [], np.zeros(100)
    for step in range(args.steps):
        key, sub = jax.random.split(key)
        state = integrator.step(state, sub)
        if step % 10 == 0:
            trace.append(float(pressure(state, box, box**3)) + float(integrator.virial(state)))
            shells += np.asarray(radial(state.position, box))
    np.savez("out.npz", trace=trace, shells=shells)


if __name__ == "__main__":
    main()
