# requires: jax==0.4.25
"""Plans in a learned world model by the cross-entropy method; evaluated in a gym environment."""
import argparse
import pickle

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np


def mlp(params, x):
    for w, b in params[:-1]:
        x = jax.nn.silu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


class Planner:
    def __init__(self, params, act_dim, horizon=15, samples=500, elites=50, rounds=6):
        self.params = params
        self.act_dim = act_dim
        self.horizon = horizon
        self.samples = samples
        self.elites = elites
        self.rounds = rounds

    def rollout(self, state, actions):
        def step(s, a):
            out = mlp(self.params["dynamics"], jnp.concatenate([s, a]))
            reward = mlp(self.params["reward"], jnp.concatenate([s, a]))[0]
            return s + out, reward

        return jax.lax.scan(step, state, actions)[1].sum()

    def plan(self, key, state):
        score = jax.jit(jax.vmap(lambda a: self.rollout(state, a)))  # finding: compiled-per-call
        mean = jnp.zeros((self.horizon, self.act_dim))
        std = jnp.ones((self.horizon, self.act_dim))
        for _ in range(self.rounds):
            key, sub = jax.random.split(key)
            noise = jax.random.normal(sub, (self.samples, self.horizon, self.act_dim))
            actions = jnp.clip(mean + std * noise, -1, 1)
            best = actions[jnp.argsort(-score(actions))[: self.elites]]
            mean, std = best.mean(0), best.std(0) + 1e-3
        return np.asarray(mean[0])


def evaluate(env, planner, episodes, seed):
    key = jax.random.PRNGKey(seed)
    returns = []
    for e in range(episodes):
        state, _ = env.reset(seed=seed + e)
        total, done = 0.0, False
        while not done:
            key, sub = jax.random.split(key)
            action = planner.plan(sub, jnp.asarray(state))
            state, reward, terminated, truncated, _ = env.step(action)
            total += reward
            done = terminated or truncated
        returns.append(total)
        print("episode", e, "return", total)
    return np.mean(returns)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("model")
    p.add_argument("--env", default="HalfCheetah-v4")
    p.add_argument("--episodes", type=int, default=10)
    args = p.parse_args()
    env = gym.make(args.env)
    with open(args.model, "rb") as f:
        params = pickle.load(f)
    planner = Planner(params, env.action_space.shape[0])
    print("mean return", evaluate(env, planner, args.episodes, 0))


if __name__ == "__main__":
    main()
