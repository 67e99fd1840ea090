"""Sampling for lattice field theories: HMC with JAX, kernels made once per action."""
import functools
from dataclasses import dataclass
from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True)
class Phi4:
    mass: float
    coupling: float

    def __call__(self, phi):
        kinetic = sum(jnp.sum((jnp.roll(phi, 1, axis) - phi) ** 2) for axis in range(phi.ndim))
        return 0.5 * kinetic + jnp.sum(0.5 * self.mass * phi ** 2 + self.coupling * phi ** 4)


def magnetisation(phi):
    return jnp.mean(phi)


def two_point(phi):
    spectrum = jnp.abs(jnp.fft.fftn(phi)) ** 2
    return jnp.fft.ifftn(spectrum).real / phi.size


@functools.lru_cache(maxsize=None)
def leapfrog_for(action: Callable, steps: int):
    """The compiled integrator of an action: one per action and length."""
    force = jax.grad(action)

    @jax.jit
    def integrate(phi, momentum, eps):
        def body(carry, _):
            q, p = carry
            p = p - 0.5 * eps * force(q)
            q = q + eps * p
            p = p - 0.5 * eps * force(q)
            return (q, p), None

        (q, p), _ = jax.lax.scan(body, (phi, momentum), None, length=steps)
        return q, p

    return integrate


class Sampler:
    def __init__(self, action, shape, steps=20, eps=0.05, seed=0):
        self.action = action
        self.steps = steps
        self.eps = eps
        self.rng = np.random.default_rng(seed)
        self.phi = jnp.zeros(shape)
        self._energy = None
        self.accepted = 0
        self.tried = 0

    @property
    def energy(self):
        if self._energy is None:
            self._energy = jax.jit(
                lambda phi, momentum: self.action(phi) + 0.5 * jnp.sum(momentum ** 2)
            )
        return self._energy

    def step(self):
        momentum = jnp.asarray(self.rng.standard_normal(self.phi.shape), dtype=jnp.float32)
        before = self.energy(self.phi, momentum)
        phi, momentum = leapfrog_for(self.action, self.steps)(self.phi, momentum, self.eps)
        after = self.energy(phi, momentum)
        self.tried += 1
        if np.log(self.rng.random()) < float(before - after):
            self.phi = phi
            self.accepted += 1
        return self.phi

    def chain(self, count, thin=5):
        for index in range(count * thin):
            phi = self.step()
            if index % thin == 0:
                yield phi


def measure(sampler, count):
    rows = []
    for phi in sampler.chain(count):
        # jit of a module's function: JAX finds the same compiled code each time
        rows.append((float(jax.jit(magnetisation)(phi)), np.asarray(jax.jit(two_point)(phi))))
    return rows


def tune(sampler, target=0.7, rounds=10):
    for _ in range(rounds):
        sampler.accepted = sampler.tried = 0
        for _ in range(50):
            sampler.step()
        rate = sampler.accepted / sampler.tried
        sampler.eps *= 1.1 if rate > target else 0.9


def main():
    for coupling in (0.02, 0.05):
        sampler = Sampler(Phi4(mass=-0.1, coupling=coupling), (32, 32))
        tune(sampler)
        rows = measure(sampler, 500)
        values = np.array([m for m, _ in rows])
        print(coupling, np.abs(values).mean(), values.var() * 32 * 32)


if __name__ == "__main__":
    main()
