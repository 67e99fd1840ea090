"""An agent that looks for food, as an actor and a learner."""

from functools import partial
from typing import NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax


class TrainState(NamedTuple):
    params: hk.Params
    opt_state: optax.OptState
    step: int


class Transition(NamedTuple):
    state: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    following: np.ndarray


def network(actions):
    def forward(x):
        return hk.nets.MLP([128, 128, actions])(x)

    return hk.without_apply_rng(hk.transform(forward))


class Agent:
    def __init__(self, actions, state_dim, lr=1e-3, gamma=0.99):
        self.net = network(actions)
        self.optimizer = optax.adam(lr)
        self.gamma = gamma
        self.actions = actions
        self._update = jax.jit(self._learn)
        self.state_dim = state_dim

    def init(self, seed):
        params = self.net.init(jax.random.PRNGKey(seed), jnp.zeros((1, self.state_dim)))
        return TrainState(params, self.optimizer.init(params), 0)

    def act(self, params, observation, key, epsilon):
        q = jax.jit(lambda p, o: self.net.apply(p, o[None])[0])(params, observation)  # finding: compiled-per-call
        if jax.random.uniform(key) < epsilon:
            return np.random.randint(self.actions)
        return int(jnp.argmax(q))

    def _loss(self, params, target, batch):
        q = self.net.apply(params, batch.state)
        future = self.net.apply(target, batch.following).max(axis=-1)
        chosen = jnp.take_along_axis(q, batch.action[:, None], axis=-1)[:, 0]
        return jnp.mean((batch.reward + self.gamma * future - chosen) ** 2)

    def _learn(self, state, target, batch):
        loss, grads = jax.value_and_grad(self._loss)(state.params, target, batch)
        updates, opt_state = self.optimizer.update(grads, state.opt_state)
        return TrainState(optax.apply_updates(state.params, updates), opt_state, state.step + 1), loss

    def learn(self, state, target, batch):
        return self._update(state, target, batch)

    def evaluate(self, params, states):
        values = jax.vmap(partial(self.net.apply, params))
        return jax.jit(values)(states).max(axis=-1).mean()  # finding: compiled-per-call
