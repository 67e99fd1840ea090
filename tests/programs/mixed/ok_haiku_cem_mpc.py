# requires: jax==0.4.13 dm-haiku==0.0.10 optax==0.1.5
"""Model-based RL: learned dynamics + CEM planning with full covariance."""
from typing import Any, NamedTuple

import gym
import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax

OBS, ACT = 17, 6


class Train(NamedTuple):
    params: Any
    opt: Any


def dynamics(o, a):
    h = hk.nets.MLP([256, 256, OBS + 1], activation=jax.nn.swish)(jnp.concatenate([o, a], -1))
    return o + h[..., :OBS], h[..., OBS]


net = hk.without_apply_rng(hk.transform(dynamics))
tx = optax.adamw(3e-4)


def mse(params, o, a, r, o2):
    p, q = net.apply(params, o, a)
    return jnp.mean((p - o2) ** 2) + jnp.mean((q - r) ** 2)


def fit_step(s, batch):
    loss, g = jax.value_and_grad(mse)(s.params, *batch)
    up, opt = tx.update(g, s.opt, s.params)
    return Train(optax.apply_updates(s.params, up), opt), loss


def unroll(params, o, plan):
    def body(c, a):
        o2, r = net.apply(params, c, a)
        return o2, r
    _, r = jax.lax.scan(body, jnp.broadcast_to(o, (plan.shape[1], OBS)), plan)
    return r.sum(0)


def summon(name):
    return jax.jit({"fit": fit_step, "unroll": unroll}[name])


class Planner:
    def __init__(self, horizon, pop, elite, iters=6):
        self.h, self.pop, self.elite, self.iters = horizon, pop, elite, iters
        self.memo = {}
        self.unit = jnp.eye(horizon * ACT)
        self.ridge = 1e-4 * self.unit

    def draw(self, n):
        if n not in self.memo:
            self.memo[n] = jax.jit(lambda k, mu, chol: mu + jax.random.normal(k, (n, mu.size)) @ chol.T)
        return self.memo[n]

    def __call__(self, params, o, key):
        mu, cov = jnp.zeros(self.h * ACT), self.unit
        for i in range(self.iters):
            key, sub = jax.random.split(key)
            chol = jnp.linalg.cholesky(cov + self.ridge)
            n = max(self.pop >> (i // 2), 4 * self.elite)
            z = jnp.clip(self.draw(n)(sub, mu, chol), -1, 1)
            score = summon("unroll")(params, o, z.reshape(n, self.h, ACT).swapaxes(0, 1))
            best = z[jnp.argsort(-score)[: self.elite]]
            mu, cov = best.mean(0), jnp.cov(best.T)
        return np.asarray(mu[:ACT])


class Buffer:
    def __init__(self, cap=200000):
        self.rows, self.cap = [], cap

    def add(self, *t):
        self.rows.append(t)
        self.rows = self.rows[-self.cap:]

    def sample(self, rng, n):
        pick = rng.integers(len(self.rows), size=n)
        return tuple(jnp.asarray(np.stack(c), jnp.float32) for c in zip(*(self.rows[i] for i in pick)))


def main(episodes=200):
    env, rng, key = gym.make("HalfCheetah-v4"), np.random.default_rng(1), jax.random.PRNGKey(1)
    params = net.init(key, jnp.zeros(OBS), jnp.zeros(ACT))
    s, buf = Train(params, tx.init(params)), Buffer()
    plan = Planner(20, 512, 50)
    for ep in range(episodes):
        o, _ = env.reset()
        done, total = False, 0.0
        while not done:
            key, k = jax.random.split(key)
            a = env.action_space.sample() if ep < 5 else plan(s.params, jnp.asarray(o, jnp.float32), k)
            o2, r, term, trunc, _ = env.step(a)
            buf.add(o, a, r, o2)
            o, done, total = o2, term or trunc, total + r
        for _ in range(500):
            s, loss = jax.jit(fit_step)(s, buf.sample(rng, 256))
        print(ep, total, float(loss))


if __name__ == "__main__":
    main()
