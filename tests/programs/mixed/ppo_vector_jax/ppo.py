"""PPO on vectorised environments; agent with a curiosity bonus."""
import functools
from typing import Any, Dict

import flax.linen as nn
import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import optax


class ActorCritic(nn.Module):
    actions: int

    @nn.compact
    def __call__(self, x):
        h = nn.tanh(nn.Dense(64)(x))
        h = nn.tanh(nn.Dense(64)(h))
        return nn.Dense(self.actions)(h), nn.Dense(1)(h)[..., 0]


def make_update(apply, tx, clip):
    def loss(params, batch):
        logits, value = apply(params, batch["obs"])
        logp = jax.nn.log_softmax(logits)
        logp = jnp.take_along_axis(logp, batch["action"][:, None], 1)[:, 0]
        ratio = jnp.exp(logp - batch["logp"])
        gain = batch["advantage"]
        surrogate = jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - clip, 1 + clip) * gain)
        return -surrogate.mean() + 0.5 * jnp.square(value - batch["goal"]).mean()

    @jax.jit
    def update(params, opt_state, batch):
        value, grads = jax.value_and_grad(loss)(params, batch)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, value

    return update


class PPO:
    def __init__(self, config: Dict[str, Any]):
        self.config = config
        self.envs = gym.make_vec(config["env"], config["n"])
        self.net = ActorCritic(int(self.envs.single_action_space.n))
        self.key = jax.random.PRNGKey(config["seed"])
        dummy = jnp.zeros((1, *self.envs.single_observation_space.shape))
        self.params = self.net.init(self.key, dummy)
        self.tx = optax.adam(config["rate"])
        self.opt_state = self.tx.init(self.params)
        self._cache = {}

    def policy(self, horizon):
        if horizon not in self._cache:
            self._cache[horizon] = jax.jit(self.net.apply)
        return self._cache[horizon]

    def advantages(self, rewards, values, dones):
        def back(carry, row):
            reward, value, after, done = row
            delta = reward + 0.99 * after * (1 - done) - value
            carry = delta + 0.95 * 0.99 * (1 - done) * carry
            return carry, carry

        gae = jax.jit(lambda *rows: jax.lax.scan(back, jnp.zeros(rows[0].shape[1]), rows, reverse=True)[1])  # finding: compiled-per-call
        return gae(rewards, values[:-1], values[1:], dones)

    def bonus(self, obs):
        return jax.vmap(lambda o: jnp.linalg.norm(o))(obs)

    def collect(self, obs):
        rows = []
        for _ in range(self.config["horizon"]):
            self.key, sub = jax.random.split(self.key)
            act = jax.jit(functools.partial(self.net.apply, self.params))  # finding: compiled-per-call
            logits, value = act(obs)
            action = np.asarray(jax.random.categorical(sub, logits))
            logp = jax.nn.log_softmax(logits)[np.arange(len(action)), action]
            after, reward, done, _, _ = self.envs.step(action)
            rows.append((obs, action, logp, value, reward + 0.01 * self.bonus(after), done))
            obs = after
        return obs, [np.stack(c) for c in zip(*rows)]

    def train(self):
        obs, _ = self.envs.reset()
        for iteration in range(self.config["iterations"]):
            obs, (o, a, logp, v, r, d) = self.collect(obs)
            last = self.policy(self.config["horizon"])(self.params, obs)[1]
            adv = self.advantages(r, np.concatenate([v, last[None]]), d)
            batch = {"obs": o, "action": a, "logp": logp, "advantage": adv, "goal": adv + v}
            batch = {k: jnp.reshape(x, (-1, *x.shape[2:])) for k, x in batch.items()}
            update = make_update(self.net.apply, self.tx, self.config["clip"])  # finding: compiled-per-call
            for _ in range(self.config["epochs"]):
                self.params, self.opt_state, loss = update(self.params, self.opt_state, batch)
            print(iteration, float(loss))


if __name__ == "__main__":
    PPO(dict(env="CartPole-v1", n=16, seed=0, rate=3e-4, horizon=128, clip=0.2, epochs=4, iterations=500)).train()
