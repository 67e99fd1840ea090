"""Pursuers and evaders: policy gradients over many worlds at once."""
import abc
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax


def init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        (jax.random.normal(k, (m, n)) / jnp.sqrt(m), jnp.zeros(n))
        for k, m, n in zip(keys, sizes[:-1], sizes[1:])
    ]


def apply(parameters, x):
    *hidden, (w, b) = parameters
    for weight, bias in hidden:
        x = jnp.tanh(x @ weight + bias)
    return x @ w + b


class Agent(abc.ABC):
    def __init__(self, key, observed, actions, rate=3e-4):
        self.parameters = init(key, (observed, 64, 64, actions))
        self.tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))
        self.optimizer_state = self.tx.init(self.parameters)
        self._policy = jax.jit(jax.vmap(apply, (None, 0)))
        self._compiled = {}

    def act(self, observations, key):
        logits = self._policy(self.parameters, observations)
        return np.asarray(jax.random.categorical(key, logits))

    @abc.abstractmethod
    def loss(self, parameters, batch):
        ...

    def update(self, batch):
        def step(parameters, state, batch):
            grads = jax.grad(self.loss)(parameters, batch)
            updates, state = self.tx.update(grads, state)
            return optax.apply_updates(parameters, updates), state

        step = jax.jit(step)  # finding: compiled-per-call
        self.parameters, self.optimizer_state = step(self.parameters, self.optimizer_state, batch)

    def values(self, name, batch):
        if name not in self._compiled:
            self._compiled[name] = jax.jit(functools.partial(self.loss, self.parameters))
        return self._compiled[name](batch)


class Reinforce(Agent):
    def loss(self, parameters, batch):
        observations, actions, returns = batch
        log_p = jax.nn.log_softmax(apply(parameters, observations))
        chosen = jnp.take_along_axis(log_p, actions[:, None], axis=1)[:, 0]
        return -jnp.mean(chosen * (returns - returns.mean()))


class Clipped(Agent):
    clip = 0.2

    def loss(self, parameters, batch):
        observations, actions, returns, old = batch
        log_p = jax.nn.log_softmax(apply(parameters, observations))
        ratio = jnp.exp(jnp.take_along_axis(log_p, actions[:, None], axis=1)[:, 0] - old)
        return -jnp.mean(jnp.minimum(ratio, jnp.clip(ratio, 1 - self.clip, 1 + self.clip)) * returns)
