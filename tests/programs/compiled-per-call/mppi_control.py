"""Model predictive path integral control of a cart pole, with JAX."""
import argparse
import functools

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np


def dynamics(state, action, dt=0.02):
    x, v, theta, omega = state
    force = 10.0 * jnp.tanh(action)
    temp = (force + 0.05 * omega ** 2 * jnp.sin(theta)) / 1.1
    alpha = (9.8 * jnp.sin(theta) - jnp.cos(theta) * temp) / (
        0.5 * (4.0 / 3.0 - 0.1 * jnp.cos(theta) ** 2 / 1.1)
    )
    acc = temp - 0.05 * alpha * jnp.cos(theta) / 1.1
    return jnp.stack([x + dt * v, v + dt * acc, theta + dt * omega, omega + dt * alpha])


def cost(state):
    return state[0] ** 2 + 10.0 * state[2] ** 2 + 0.1 * state[3] ** 2


class MPPI:
    def __init__(self, horizon, samples, temperature, seed=0):
        self.horizon = horizon
        self.samples = samples
        self.temperature = temperature
        self.plan = jnp.zeros(horizon)
        self.key = jax.random.PRNGKey(seed)

    def rollout(self, state, actions):
        def step(s, a):
            s = dynamics(s, a)
            return s, cost(s)

        _, costs = jax.lax.scan(step, state, actions)
        return jnp.sum(costs)

    def command(self, state):
        self.key, sub = jax.random.split(self.key)
        noise = jax.random.normal(sub, (self.samples, self.horizon))
        evaluate = jax.jit(jax.vmap(functools.partial(self.rollout, state)))  # finding: compiled-per-call
        costs = evaluate(self.plan + noise)
        weights = jax.nn.softmax(-costs / self.temperature)
        self.plan = self.plan + weights @ noise
        action = self.plan[0]
        self.plan = jnp.roll(self.plan, -1).at[-1].set(0.0)
        return float(action)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=5)
    parser.add_argument("--horizon", type=int, default=30)
    parser.add_argument("--samples", type=int, default=512)
    args = parser.parse_args()
    env = gym.make("CartPole-v1")
    for episode in range(args.episodes):
        controller = MPPI(args.horizon, args.samples, 0.1, seed=episode)
        state, _ = env.reset(seed=episode)
        done, total = False, 0.0
        while not done:
            action = controller.command(jnp.asarray(state))
            state, reward, terminated, truncated, _ = env.step(int(action > 0))
            done = terminated or truncated
            total += reward
        print(episode, total)


if __name__ == "__main__":
    main()
