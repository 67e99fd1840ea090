"""A small soft actor-critic in JAX (haiku)."""
import argparse
from collections import namedtuple

import gym
import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax

Batch = namedtuple("Batch", "obs act rew nxt done")


def actor_fn(act_dim):
    def f(obs):
        out = hk.nets.MLP([256, 256, 2 * act_dim])(obs)
        mean, log_std = jnp.split(out, 2, -1)
        return mean, jnp.clip(log_std, -8, 2)
    return hk.without_apply_rng(hk.transform(f))


def critic_fn():
    def f(obs, act):
        x = jnp.concatenate([obs, act], -1)
        return jnp.stack([hk.nets.MLP([256, 256, 1])(x)[..., 0] for _ in range(2)])
    return hk.without_apply_rng(hk.transform(f))


class SAC:
    def __init__(self, obs_dim, act_dim, lr=3e-4, seed=0):
        self.actor, self.critic = actor_fn(act_dim), critic_fn()
        self.key, k1, k2 = jax.random.split(jax.random.PRNGKey(seed), 3)
        self.pi = self.actor.init(k1, jnp.zeros((1, obs_dim)))
        self.q = self.critic.init(k2, jnp.zeros((1, obs_dim)), jnp.zeros((1, act_dim)))
        self.q_target = self.q
        self.opt = optax.adam(lr)
        self.pi_state, self.q_state = self.opt.init(self.pi), self.opt.init(self.q)
        self.alpha, self.gamma = 0.2, 0.99

    def draw(self, pi, obs, key):
        mean, log_std = self.actor.apply(pi, obs)
        noise = jax.random.normal(key, mean.shape)
        raw = mean + jnp.exp(log_std) * noise
        act = jnp.tanh(raw)
        logp = -0.5 * noise ** 2 - log_std - 0.919 - jnp.log(1 - act ** 2 + 1e-6)
        return act, logp.sum(-1)

    def act(self, obs):
        self.key, k = jax.random.split(self.key)
        fast = jax.jit(lambda pi, o, key: self.draw(pi, o, key)[0])  # finding: compiled-per-call
        return np.asarray(fast(self.pi, obs[None], k))[0]

    def update(self, batch):
        self.key, k1, k2 = jax.random.split(self.key, 3)

        def q_loss(q, pi, target):
            a, logp = self.draw(pi, batch.nxt, k1)
            v = self.critic.apply(target, batch.nxt, a).min(0) - self.alpha * logp
            goal = batch.rew + self.gamma * (1 - batch.done) * v
            return jnp.mean((self.critic.apply(q, batch.obs, batch.act) - jax.lax.stop_gradient(goal)) ** 2)

        def pi_loss(pi, q):
            a, logp = self.draw(pi, batch.obs, k2)
            return jnp.mean(self.alpha * logp - self.critic.apply(q, batch.obs, a).min(0))

        q_grad = jax.jit(jax.grad(q_loss))(self.q, self.pi, self.q_target)  # finding: compiled-per-call
        step, self.q_state = self.opt.update(q_grad, self.q_state)
        self.q = optax.apply_updates(self.q, step)
        pi_grad = jax.jit(jax.grad(pi_loss))(self.pi, self.q)  # finding: compiled-per-call
        step, self.pi_state = self.opt.update(pi_grad, self.pi_state)
        self.pi = optax.apply_updates(self.pi, step)
        self.q_target = jax.tree_util.tree_map(lambda t, s: 0.995 * t + 0.005 * s, self.q_target, self.q)


class Buffer:
    def __init__(self, size):
        self.rows, self.size = [], size

    def add(self, *row):
        if len(self.rows) == self.size:
            self.rows.pop(0)
        self.rows.append(row)

    def sample(self, n):
        pick = np.random.randint(0, len(self.rows), n)
        return Batch(*(np.asarray(c, np.float32) for c in zip(*(self.rows[i] for i in pick))))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--env", default="Pendulum-v1")
    p.add_argument("--steps", type=int, default=50000)
    args = p.parse_args()
    env = gym.make(args.env)
    agent = SAC(env.observation_space.shape[0], env.action_space.shape[0])
    buffer, obs, total = Buffer(50000), env.reset(), 0.0
    for t in range(args.steps):
        act = env.action_space.sample() if t < 1000 else agent.act(obs)
        nxt, rew, done, _ = env.step(act)
        buffer.add(obs, act, rew, nxt, done)
        total += rew
        obs = nxt
        if t >= 1000:
            agent.update(buffer.sample(128))
        if done:
            print(t, total)
            obs, total = env.reset(), 0.0


if __name__ == "__main__":
    main()
