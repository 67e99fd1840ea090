# requires: jax==0.5.0
"""PPO in pure JAX, over seeds, with an evaluator beside it."""

import dataclasses
import functools
from typing import Any, Callable, NamedTuple

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class Policy(nn.Module):
    actions: int

    @nn.compact
    def __call__(self, obs):
        x = nn.tanh(nn.Dense(64)(obs))
        return nn.Dense(self.actions)(x), nn.Dense(1)(x)[..., 0]


class Step(NamedTuple):
    obs: jax.Array
    action: jax.Array
    reward: jax.Array
    value: jax.Array
    logp: jax.Array


@dataclasses.dataclass(frozen=True)
class Config:
    actions: int = 4
    length: int = 128
    updates: int = 500
    lr: float = 3e-4
    clip: float = 0.2


def make_train(config, reset, step):
    policy = Policy(config.actions)
    optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(config.lr))

    def train(key):
        key, k1, k2 = jax.random.split(key, 3)
        obs, env = reset(k1)
        params = policy.init(k2, obs)
        state = optimizer.init(params)

        def act(carry, _):
            params, env, obs, key = carry
            key, k = jax.random.split(key)
            logits, value = policy.apply(params, obs)
            action = jax.random.categorical(k, logits)
            logp = jax.nn.log_softmax(logits)[action]
            env, new, reward = step(env, action)
            return (params, env, new, key), Step(obs, action, reward, value, logp)

        def loss(params, steps, returns):
            logits, values = policy.apply(params, steps.obs)
            logp = jnp.take_along_axis(jax.nn.log_softmax(logits), steps.action[:, None], 1)[:, 0]
            ratio = jnp.exp(logp - steps.logp)
            gain = returns - steps.value
            clipped = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
            return -jnp.minimum(ratio * gain, clipped * gain).mean() + ((values - returns) ** 2).mean()

        def update(carry, _):
            params, state, env, obs, key = carry
            (params, env, obs, key), steps = jax.lax.scan(
                act, (params, env, obs, key), None, config.length
            )
            returns = jnp.cumsum(steps.reward[::-1])[::-1]
            # jitted inside what is traced: it is traced once, with the rest
            grads = jax.jit(jax.grad(lambda p: loss(p, steps, returns)))(params)
            updates, state = optimizer.update(grads, state)
            params = optax.apply_updates(params, updates)
            return (params, state, env, obs, key), steps.reward.sum()

        return jax.lax.scan(update, (params, state, env, obs, key), None, config.updates)

    return train


@functools.cache
def rollout_of(policy, length):
    @jax.jit
    def rollout(params, env, obs):
        def one(carry, _):
            env, obs = carry
            env, obs, reward = env.step(policy.apply(params, obs)[0].argmax())
            return (env, obs), reward

        return jax.lax.scan(one, (env, obs), None, length)[1].sum()

    return rollout


@jax.jit
def entropy(logits):
    p = jax.nn.softmax(logits)
    return -(p * jnp.log(p)).sum(-1)


class Evaluator:
    """Keeps what it compiled for each environment that it has met."""

    def __init__(self, policy: Policy, transform: Callable[..., Any] = jax.jit):
        self.policy = policy
        self.apply = transform(policy.apply)
        self.compiled = {}

    @functools.cached_property
    def values(self):
        return jax.jit(jax.vmap(lambda p, o: self.policy.apply(p, o)[1], (None, 0)))

    def run(self, name, env, params, key):
        try:
            episode = self.compiled[name]
        except KeyError:
            episode = self.compiled[name] = jax.jit(functools.partial(self.episode, env))
        return episode(params, key)

    def episode(self, env, params, key):
        obs, state = env.reset(key)

        def one(carry, _):
            state, obs = carry
            state, obs, reward = env.step(state, self.policy.apply(params, obs)[0].argmax())
            return (state, obs), reward

        return jax.lax.scan(one, (state, obs), None, 200)[1].sum()

    def report(self, params, batches):
        for batch in batches:
            logits, _ = self.apply(params, batch)
            # `entropy` is one function, for which jax keeps what it compiled
            print(float(jax.jit(entropy)(logits).mean()), float(self.values(params, batch).mean()))


def main(envs, batches):
    config = Config()
    keys = jax.random.split(jax.random.PRNGKey(0), 8)
    results = {}
    for name, env in envs.items():
        train = jax.jit(jax.vmap(make_train(config, env.reset, env.step)))
        results[name] = train(keys)

    evaluator = Evaluator(Policy(config.actions))
    for name, env in envs.items():
        params = jax.tree_util.tree_map(lambda x: x[0], results[name][0][0])
        for key in keys:
            evaluator.run(name, env, params, key)
        evaluator.report(params, batches)
        for length in (100, 200):
            rollout_of(evaluator.policy, length)(params, env, env.reset(keys[0])[0])


if __name__ == "__main__":
    import environments

    main(environments.load(), environments.observations())
