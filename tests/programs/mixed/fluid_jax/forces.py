"""Lennard-Jones fluid."""
from functools import partial
from typing import Callable, NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    position: jnp.ndarray
    velocity: jnp.ndarray
    force: jnp.ndarray


def distances(position, box):
    delta = position[:, None] - position[None]
    delta = delta - box * jnp.round(delta / box)
    return jnp.sum(delta**2, -1) + jnp.eye(len(position)) * 1e6


def energy(position, box, epsilon=1.0):
    inverse = 1.0 / distances(position, box) ** 3
    return 2 * epsilon * jnp.sum(inverse**2 - inverse)


def force_function(box) -> Callable:
    """Called once at the start."""
    return jax.jit(jax.grad(lambda r: -energy(r, box)))


class Langevin:
    def __init__(self, box, dt, gamma, temperature):
        self.box, self.dt, self.gamma = box, dt, gamma
        self.temperature = temperature
        self.force = force_function(box)

    @partial(jax.jit, static_argnums=0)
    def kick(self, state, key):
        noise = jax.random.normal(key, state.velocity.shape)
        damp = jnp.exp(-self.gamma * self.dt)
        v = damp * state.velocity + jnp.sqrt(self.temperature * (1 - damp**2)) * noise
        return state._replace(velocity=v + self.dt * state.force)

    def step(self, state, key):
        state = self.kick(state, key)
        position = state.position + self.dt * state.velocity
        return state._replace(position=position, force=self.force(position))

    def virial(self, state):
        gradient = jax.jit(jax.grad(energy))  # finding: compiled-per-call
        return -jnp.sum(state.position * gradient(state.position, self.box))


def pressure(state, box, volume):
    @jax.jit  # finding: compiled-per-call
    def kinetic(v):
        return jnp.sum(v**2) / 3

    return kinetic(state.velocity) / volume


@jax.jit
def radial(position, box):
    d = jnp.sqrt(distances(position, box)).ravel()
    return jnp.histogram(d, bins=100, range=(0.0, 5.0))[0]
