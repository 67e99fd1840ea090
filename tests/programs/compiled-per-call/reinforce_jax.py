"""REINFORCE with a baseline on a small gridworld, JAX and optax."""
from dataclasses import dataclass, field
from typing import List

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclass
class Config:
    env: str = "Acrobot-v1"
    hidden: List[int] = field(default_factory=lambda: [128, 128])
    lr: float = 1e-3
    gamma: float = 0.99
    episodes: int = 2000
    entropy: float = 0.01
    seed: int = 0


def init_mlp(key, sizes):
    params = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        key, sub = jax.random.split(key)
        w = jax.random.normal(sub, (n_in, n_out)) * jnp.sqrt(2.0 / n_in)
        params.append({"w": w, "b": jnp.zeros(n_out)})
    return params


def mlp(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    last = params[-1]
    return x @ last["w"] + last["b"]


def discounted(rewards, gamma):
    out = np.zeros(len(rewards), dtype=np.float32)
    running = 0.0
    for i in reversed(range(len(rewards))):
        running = rewards[i] + gamma * running
        out[i] = running
    return out


class Reinforce:
    def __init__(self, cfg, n_obs, n_actions):
        self.cfg = cfg
        key = jax.random.PRNGKey(cfg.seed)
        self.key, init_key = jax.random.split(key)
        self.params = init_mlp(init_key, [n_obs, *cfg.hidden, n_actions])
        self.tx = optax.adam(cfg.lr)
        self.opt_state = self.tx.init(self.params)
        self.baseline = 0.0

    def _loss(self, params, obs, actions, advantages):
        logp = jax.nn.log_softmax(mlp(params, obs))
        chosen = jnp.take_along_axis(logp, actions[:, None], axis=1)[:, 0]
        entropy = -(jnp.exp(logp) * logp).sum(axis=1).mean()
        return -(chosen * advantages).mean() - self.cfg.entropy * entropy

    def act(self, obs):
        self.key, sub = jax.random.split(self.key)
        policy = jax.jit(lambda p, o, k: jax.random.categorical(k, mlp(p, o)))  # finding: compiled-per-call
        return int(policy(self.params, obs, sub))

    def update(self, obs, actions, rewards):
        returns = discounted(rewards, self.cfg.gamma)
        self.baseline = 0.95 * self.baseline + 0.05 * returns.mean()
        adv = (returns - self.baseline) / (returns.std() + 1e-6)
        # pad to the longest episode, so that shapes stay the same
        n = 512 - len(adv)
        obs = np.pad(np.asarray(obs, np.float32), ((0, n), (0, 0)))
        actions = np.pad(np.asarray(actions), (0, n))
        adv = np.pad(adv, (0, n))
        loss, grads = jax.jit(jax.value_and_grad(self._loss))(self.params, obs, actions, adv)  # finding: compiled-per-call
        updates, self.opt_state = self.tx.update(grads, self.opt_state)
        self.params = optax.apply_updates(self.params, updates)
        return loss


def run_episode(env, agent):
    obs, _ = env.reset()
    traj_obs, traj_act, traj_rew = [], [], []
    done = False
    while not done:
        action = agent.act(obs)
        nxt, reward, terminated, truncated, _ = env.step(action)
        traj_obs.append(obs)
        traj_act.append(action)
        traj_rew.append(reward)
        obs = nxt
        done = terminated or truncated
    return traj_obs, traj_act, traj_rew


if __name__ == "__main__":
    cfg = Config()
    env = gym.make(cfg.env)
    agent = Reinforce(cfg, env.observation_space.shape[0], env.action_space.n)
    for ep in range(cfg.episodes):
        obs, act, rew = run_episode(env, agent)
        agent.update(obs, act, rew)
        if ep % 20 == 0:
            print(ep, sum(rew))
