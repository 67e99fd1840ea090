from typing import NamedTuple

import jax
import jax.numpy as jnp


class Bodies(NamedTuple):
    where: jnp.ndarray
    speed: jnp.ndarray
    mass: jnp.ndarray


def pull(bodies: Bodies) -> jnp.ndarray:
    delta = bodies.where[None] - bodies.where[:, None]
    squared = jnp.sum(delta**2, -1) + 1e-3
    return jnp.sum(bodies.mass[None, :, None] * delta / squared[..., None] ** 1.5, 1)


def leap(bodies: Bodies, dt) -> Bodies:
    speed = bodies.speed + 0.5 * dt * pull(bodies)
    where = bodies.where + dt * speed
    moved = bodies._replace(where=where, speed=speed)
    return moved._replace(speed=speed + 0.5 * dt * pull(moved))


def energy(bodies: Bodies) -> jnp.ndarray:
    return 0.5 * jnp.sum(bodies.mass * jnp.sum(bodies.speed**2, -1))


@jax.jit
def leap_jit(bodies, dt):
    return leap(bodies, dt)


@jax.jit
def many(bodies, dt):
    def body(carry, _):
        carry = leap(carry, dt)
        return carry, carry.where

    return jax.lax.scan(body, bodies, None, length=1000)


def create(key, count) -> Bodies:
    first, second = jax.random.split(key)
    return Bodies(jax.random.normal(first, (count, 3)), jnp.zeros((count, 3)), jnp.ones(count))
