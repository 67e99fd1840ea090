"""Boids in JAX: a flock, and a small policy that herds it."""
from functools import partial

import jax
import jax.numpy as jnp


def velocities(positions, speeds):
    centre = positions.mean(axis=0)
    pull = 0.01 * (centre - positions)
    apart = positions[:, None] - positions[None]
    near = jnp.sum(apart**2, -1) < 0.1
    push = jnp.where(near[..., None], apart, 0.0).sum(axis=1)
    speeds = speeds + pull + 0.05 * push
    return speeds / jnp.maximum(1.0, jnp.linalg.norm(speeds, axis=1, keepdims=True))


def fly(positions, speeds, steps):
    for _ in range(steps):  # finding: eager-loop
        speeds = velocities(positions, speeds)
        positions = positions + 0.1 * speeds
    return positions, speeds


@jax.jit
def fly_fast(positions, speeds):
    def turn(state, _):
        positions, speeds = state
        speeds = velocities(positions, speeds)
        return (positions + 0.1 * speeds, speeds), None

    return jax.lax.scan(turn, (positions, speeds), None, length=500)[0]


@partial(jax.jit, static_argnums=1)
def herd(positions, dogs):
    angles = jnp.linspace(0, 2 * jnp.pi, dogs)
    ring = jnp.stack([jnp.cos(angles), jnp.sin(angles)], axis=1)
    return jnp.min(jnp.linalg.norm(positions[:, None] - ring[None], axis=-1), axis=1).mean()


def best_herd(positions, most):
    return min(range(3, most), key=lambda dogs: herd(positions, dogs))


def history_loss(policy, count):
    seen, losses = jnp.zeros((1, 2)), []
    for _ in range(count):
        losses.append(policy(seen))  # finding: retracing
        seen = jnp.concatenate([seen, seen[-1:] + 0.1])
    return jnp.stack(losses)


def angles_of(speeds):
    found = []
    for speed in speeds:
        found.append(jnp.arctan2(speed[1], speed[0]))
    return jnp.stack(found)


if __name__ == "__main__":
    key = jax.random.PRNGKey(0)
    positions = jax.random.normal(key, (300, 2))
    positions, speeds = fly(positions, jnp.zeros((300, 2)), 200)
    positions, speeds = fly_fast(positions, speeds)
    print(best_herd(positions, 8))
    policy = jax.jit(lambda seen: jnp.tanh(seen).sum())
    print(history_loss(policy, 200), angles_of(speeds).mean())
