# requires: jax==0.4.30
"""Lattice Boltzmann solver as a small library, with a command that sweeps the viscosity."""
import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

VELOCITIES = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])
WEIGHTS = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)


@dataclass(frozen=True)
class Fluid:
    width: int
    height: int
    omega: float

    def equilibrium(self, rho, u):
        cu = jnp.einsum("id,dxy->ixy", VELOCITIES, u)
        usq = (u**2).sum(0)
        return WEIGHTS[:, None, None] * rho * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * usq)

    def start(self):
        x = jnp.arange(self.width)[:, None] / self.width
        u = jnp.stack([jnp.zeros((self.width, self.height)), 0.05 * jnp.sin(2 * jnp.pi * x) * jnp.ones((1, self.height))])
        return self.equilibrium(jnp.ones((self.width, self.height)), u)

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, f):
        rho = f.sum(0)
        u = jnp.einsum("id,ixy->dxy", VELOCITIES, f) / rho
        f = f + self.omega * (self.equilibrium(rho, u) - f)
        return jnp.stack([jnp.roll(f[i], tuple(v), (0, 1)) for i, v in enumerate(VELOCITIES)])


@functools.lru_cache(maxsize=None)
def advance(fluid, steps):
    def run(f):
        return jax.lax.fori_loop(0, steps, lambda _, g: fluid.step(g), f)

    return jax.jit(run, donate_argnums=0)


def decay(fluid, records=200, every=50):
    f = fluid.start()
    energy = []
    for _ in range(records):
        f = advance(fluid, every)(f)
        energy.append(float((f.sum(0) ** 2).mean()))
    return np.array(energy)


def measure(omegas):
    """Each viscosity is compiled for by itself: it is a constant of the solver."""
    table = {}
    for omega in omegas:
        simulate = jax.jit(functools.partial(trajectory, omega))
        table[float(omega)] = np.asarray(simulate(Fluid(128, 128, float(omega)).start()))
    return table


def trajectory(omega, f):
    fluid = Fluid(f.shape[1], f.shape[2], float(omega))

    def body(f, _):
        f = fluid.step(f)
        return f, f.sum(0).var()

    return jax.lax.scan(body, f, None, length=20000)[1]


if __name__ == "__main__":
    print(decay(Fluid(256, 256, 1.2)))
    np.save("sweep.npy", measure(np.linspace(0.6, 1.8, 7)))
