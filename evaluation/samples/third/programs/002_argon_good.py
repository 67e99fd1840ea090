"""Molecular dynamics of liquid argon (Lennard-Jones, reduced units, velocity Verlet).

    python argon.py --side 6 --density 0.8 --temperature 1.0 --blocks 400
"""
import argparse
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True)
class MDConfig:
    box: float
    dt: float = 0.004
    cutoff: float = 2.5
    steps_per_block: int = 50


class State(NamedTuple):
    pos: jax.Array
    vel: jax.Array
    force: jax.Array


def potential_energy(pos, box, cutoff):
    n = pos.shape[0]
    delta = pos[:, None, :] - pos[None, :, :]
    delta = delta - box * jnp.round(delta / box)
    r2 = jnp.sum(delta**2, axis=-1) + 1e6 * jnp.eye(n)
    inv6 = 1.0 / r2**3
    pair = 4.0 * (inv6**2 - inv6)
    return 0.5 * jnp.sum(jnp.where(r2 < cutoff**2, pair, 0.0))


def forces(pos, cfg):
    return -jax.grad(potential_energy)(pos, cfg.box, cfg.cutoff)


def verlet_block(state, cfg):
    def body(_, s):
        half = s.vel + 0.5 * cfg.dt * s.force
        pos = (s.pos + cfg.dt * half) % cfg.box
        force = forces(pos, cfg)
        return State(pos, half + 0.5 * cfg.dt * force, force)

    state = jax.lax.fori_loop(0, cfg.steps_per_block, body, state)
    kinetic = 0.5 * jnp.sum(state.vel**2)
    return state, jnp.stack([potential_energy(state.pos, cfg.box, cfg.cutoff), kinetic])


class Simulation:
    def __init__(self, cfg, state):
        self.cfg = cfg
        self.state = state
        self.propagator = jax.jit(lambda state: verlet_block(state, cfg))

    def advance(self):
        self.state, energies = self.propagator(self.state)
        return energies

    def run(self, n_blocks):
        trace = []
        for _ in range(n_blocks):
            trace.append(self.advance())
        return np.asarray(jnp.stack(trace))


def lattice_start(side, density, temperature, seed):
    n = side**3
    box = float((n / density) ** (1 / 3))
    grid = jnp.arange(side) * (box / side)
    pos = jnp.stack(jnp.meshgrid(grid, grid, grid), axis=-1).reshape(n, 3)
    vel = jnp.sqrt(temperature) * jax.random.normal(jax.random.key(seed), (n, 3))
    cfg = MDConfig(box=box)
    return cfg, State(pos, vel - vel.mean(axis=0), forces(pos, cfg))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--side", type=int, default=6)
    p.add_argument("--density", type=float, default=0.8)
    p.add_argument("--temperature", type=float, default=1.0)
    p.add_argument("--blocks", type=int, default=400)
    p.add_argument("--seed", type=int, default=7)
    args = p.parse_args()

    cfg, start = lattice_start(args.side, args.density, args.temperature, args.seed)
    trace = Simulation(cfg, start).run(args.blocks)
    n = start.pos.shape[0]
    total = trace.sum(axis=1) / n
    print(f"E/N = {total.mean():.4f}, drift {total[-1] - total[0]:+.2e}")
    print(f"T = {2 * trace[:, 1].mean() / (3 * n):.3f}")


if __name__ == "__main__":
    main()
