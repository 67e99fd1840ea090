from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree


class Policy(nn.Module):
    actions: int

    @nn.compact
    def __call__(self, x):
        x = nn.tanh(nn.Dense(32)(x))
        return nn.tanh(nn.Dense(self.actions)(x))


def flat_policy(key, observations, actions):
    policy = Policy(actions)
    flat, unravel = ravel_pytree(policy.init(key, jnp.zeros((observations,))))
    return len(flat), lambda vector, x: policy.apply(unravel(vector), x)


def dynamics(state, action):
    position, speed = jnp.split(state, 2)
    speed = 0.99 * speed + 0.05 * action - 0.02 * jnp.sin(position)
    return jnp.concatenate([position + 0.05 * speed, speed])


def fitness(policy, start, steps, vector):
    def turn(state, _):
        state = dynamics(state, policy(vector, state))
        return state, state[0] - 0.01 * jnp.sum(state**2)

    return jax.lax.scan(turn, start, None, length=steps)[1].sum()


class Evaluator:
    def __init__(self, policy, start, steps):
        self.policy = policy
        self.start = start
        self.steps = steps

    def generation(self, candidates):
        score = jax.vmap(partial(fitness, self.policy, self.start, self.steps))
        return jax.jit(score)(candidates)  # finding: compiled-per-call

    def show(self, vector, steps=1000):
        """A trace of the best one; called when all is done."""
        step = jax.jit(lambda s: dynamics(s, self.policy(vector, s)))
        trace, state = [], self.start
        for _ in range(steps):
            state = step(state)
            trace.append(state)
        return jnp.stack(trace)
