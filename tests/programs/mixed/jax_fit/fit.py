"""Fits a small flax model with optax."""
import functools
from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Mlp(nn.Module):
    width: int = 128

    @nn.compact
    def __call__(self, x):
        x = nn.gelu(nn.Dense(self.width)(x))
        return nn.Dense(1)(x)[:, 0]


class State(NamedTuple):
    params: Any
    opt: Any


def loss_fn(params, model, x, y):
    return jnp.mean((model.apply(params, x) - y) ** 2)


def train_slow(model, tx, state, data, steps):
    for step in range(steps):
        x, y = data[step % len(data)]
        grads = jax.jit(jax.grad(lambda p: loss_fn(p, model, x, y)))(state.params)  # finding: compiled-per-call
        updates, opt = tx.update(grads, state.opt, state.params)
        state = State(optax.apply_updates(state.params, updates), opt)
    return state


def train(model, tx, state, data, steps):
    @jax.jit
    def step(state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(state.params, model, x, y)
        updates, opt = tx.update(grads, state.opt, state.params)
        return State(optax.apply_updates(state.params, updates), opt), loss

    for i in range(steps):
        state, loss = step(state, *data[i % len(data)])
    return state, loss


def train_eager(model, tx, state, data, steps):
    for i in range(steps):  # finding: eager-loop
        x, y = data[i % len(data)]
        loss, grads = jax.value_and_grad(loss_fn)(state.params, model, x, y)
        updates, opt = tx.update(grads, state.opt, state.params)
        state = State(optax.apply_updates(state.params, updates), opt)
    return state


@functools.partial(jax.jit, static_argnums=(1,))
def smooth(series, window):
    kernel = jnp.ones(window) / window
    return jnp.convolve(series, kernel, mode="same")


def smooth_all(series, windows):
    return [smooth(series, window) for window in range(3, 200)]  # finding: retracing


@jax.jit
def energy(x, t):
    return jnp.sum(x * x) * jnp.exp(-t)


def decay(x):
    return [float(energy(x, 0.01 * k)) for k in range(500)]


def ensemble(model, keys, x):
    outs = []
    for key in keys:
        params = model.init(key, x)
        predict = jax.jit(functools.partial(model.apply, params))  # finding: compiled-per-call
        outs.append(predict(x))
    return jnp.stack(outs)


def main():
    rng = np.random.default_rng(0)
    data = [(rng.normal(size=(64, 8)), rng.normal(size=64)) for _ in range(50)]
    model, tx = Mlp(), optax.adam(1e-3)
    params = model.init(jax.random.key(0), jnp.zeros((1, 8)))
    state = State(params, tx.init(params))
    state, loss = train(model, tx, state, data, 5000)
    print(float(loss), ensemble(model, jax.random.split(jax.random.key(1), 20), data[0][0]).std())


if __name__ == "__main__":
    main()
