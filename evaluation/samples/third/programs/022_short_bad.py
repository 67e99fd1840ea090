# Ising model on a square lattice: cool a hot lattice slowly and follow the magnetisation.
# Figure 3 of the lecture notes is made with
#   python ising_anneal.py --size 512 --temperatures 400 --sweeps 20 --out anneal.npz
import argparse
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def neighbour_sum(spins):
    return (
        jnp.roll(spins, 1, axis=0)
        + jnp.roll(spins, -1, axis=0)
        + jnp.roll(spins, 1, axis=1)
        + jnp.roll(spins, -1, axis=1)
    )


def checkerboard(size):
    i, j = jnp.indices((size, size))
    return (i + j) % 2 == 0


def half_sweep(spins, key, colour, temperature, coupling):
    gain = 2.0 * coupling * spins * neighbour_sum(spins)
    accept = jax.random.uniform(key, spins.shape) < jnp.exp(-gain / temperature)
    return jnp.where(colour & accept, -spins, spins)


@partial(jax.jit, static_argnames=("temperature", "sweeps"))
def equilibrate(spins, key, temperature, coupling, sweeps):
    """`sweeps` full Metropolis sweeps at one temperature."""
    black = checkerboard(spins.shape[0])

    def body(_, carry):
        spins, key = carry
        key, k_black, k_white = jax.random.split(key, 3)
        spins = half_sweep(spins, k_black, black, temperature, coupling)
        spins = half_sweep(spins, k_white, ~black, temperature, coupling)
        return spins, key

    return jax.lax.fori_loop(0, sweeps, body, (spins, key))


@jax.jit
def observables(spins, coupling):
    bonds = spins * (jnp.roll(spins, 1, axis=0) + jnp.roll(spins, 1, axis=1))
    return jnp.stack([jnp.abs(spins.mean()), -coupling * bonds.mean()])


def anneal(size, schedule, sweeps, coupling, seed):
    key = jax.random.key(seed)
    key, k_init = jax.random.split(key)
    spins = jnp.where(jax.random.bernoulli(k_init, 0.5, (size, size)), 1.0, -1.0)

    trace = []
    for temperature in schedule:
        spins, key = equilibrate(spins, key, float(temperature), coupling, sweeps)
        trace.append(observables(spins, coupling))
    return spins, np.asarray(jnp.stack(trace))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--size", type=int, default=512)
    p.add_argument("--hot", type=float, default=4.0)
    p.add_argument("--cold", type=float, default=1.0)
    p.add_argument("--temperatures", type=int, default=400)
    p.add_argument("--sweeps", type=int, default=20)
    p.add_argument("--coupling", type=float, default=1.0)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--out", default="anneal.npz")
    args = p.parse_args()

    schedule = np.geomspace(args.hot, args.cold, args.temperatures)
    spins, trace = anneal(args.size, schedule, args.sweeps, args.coupling, args.seed)
    np.savez(
        args.out,
        temperature=schedule,
        magnetisation=trace[:, 0],
        energy=trace[:, 1],
        spins=np.asarray(spins, dtype=np.int8),
    )
    half = schedule[np.argmax(trace[:, 0] > 0.5)] if (trace[:, 0] > 0.5).any() else float("nan")
    print(f"|m| passes 0.5 at T = {half:.3f} (Onsager: 2.269)")


if __name__ == "__main__":
    main()
