# requires: jax==0.4.31
"""Control of a cart by planning; some steps compiled in places where they should not be."""
import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np

LENGTH = 0.5


def dynamics(state, force, dt):
    angle, speed = state
    return jnp.stack([angle + dt * speed, speed + dt * (jnp.sin(angle) / LENGTH + force)])


def cost(forces, state, dt):
    total = 0.0
    for force in forces:
        state = dynamics(state, force, dt)
        total += state[0] ** 2 + 1e-3 * force**2
    return total


def rollout(policy, state, steps):
    @functools.partial(jax.jit, static_argnums=1)  # finding: compiled-per-call
    def run(state, steps):
        return jax.lax.fori_loop(0, steps, lambda _, s: dynamics(s, policy(s), 0.02), state)

    return run(state, steps)


class Planner:
    def __init__(self, horizon):
        self.horizon = horizon
        self.slope = jax.jit(jax.grad(cost))
        self._cached = {}

    def plan(self, state):
        forces = jnp.zeros(self.horizon)
        for _ in range(50):
            forces = forces - 0.1 * self.slope(forces, state, 0.02)
        return forces

    def plan_slowly(self, state):
        forces = jnp.zeros(self.horizon)
        for _ in range(50):
            forces = forces - 0.1 * jax.jit(jax.grad(cost))(forces, state, 0.02)  # finding: compiled-per-call
        return forces

    def values(self, states):
        return [jax.jit(lambda s: cost(jnp.zeros(8), s, 0.02))(s) for s in states]  # finding: compiled-per-call

    def best(self, states, horizon):
        if horizon not in self._cached:
            self._cached[horizon] = jax.jit(lambda s: cost(jnp.zeros(horizon), s, 0.02))
        return min(states, key=self._cached[horizon])


def drive(planner, state, steps):
    path = []
    while len(path) < steps:
        state = jax.jit(dynamics)(state, planner.plan(state)[0], 0.02)
        path.append(state)
    return np.stack(path)


def compare(policies, starts):
    for policy, start in itertools.product(policies, starts):
        yield rollout(policy, start, 100)


def main():
    starts = [jnp.array([angle, 0.0]) for angle in np.linspace(-1, 1, 64)]
    planner = Planner(16)
    print(drive(planner, starts[0], 200)[-1], planner.plan_slowly(starts[0]))
    print(planner.values(starts)[0], planner.best(starts, 8))
    policies = [lambda s, k=k: -k * s[0] for k in np.linspace(0, 4, 30)]
    print(len(list(compare(policies, starts))))


if __name__ == "__main__":
    main()
