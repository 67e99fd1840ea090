import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.training import train_state


@dataclass(frozen=True)
class Config:
    rate: float = 1e-3
    epochs: int = 20
    batch: int = 128
    smoothing: float = 0.1


class Net(nn.Module):
    classes: int = 10

    @nn.compact
    def __call__(self, x):
        for width in (32, 64):
            x = nn.relu(nn.Conv(width, (3, 3))(x))
            x = nn.avg_pool(x, (2, 2), (2, 2))
        x = x.reshape((x.shape[0], -1))
        return nn.Dense(self.classes)(nn.relu(nn.Dense(256)(x)))


def loss_fn(params, apply, smoothing, x, y):
    labels = optax.smooth_labels(jax.nn.one_hot(y, 10), smoothing)
    return optax.softmax_cross_entropy(apply({"params": params}, x), labels).mean()


@functools.partial(jax.jit, static_argnames="smoothing")
def step(state, x, y, smoothing):
    loss, grads = jax.value_and_grad(loss_fn)(state.params, state.apply_fn, smoothing, x, y)
    return state.apply_gradients(grads=grads), loss


def create(config: Config, key) -> train_state.TrainState:
    net = Net()
    params = net.init(key, jnp.ones((1, 28, 28, 1)))["params"]
    return train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(config.rate))


def shuffled(key, x, y, size):
    order = np.asarray(jax.random.permutation(key, len(x)))
    for start in range(0, len(x) - size + 1, size):
        rows = order[start : start + size]
        yield x[rows], y[rows]


def fit(config: Config, x, y):
    key = jax.random.PRNGKey(0)
    state = create(config, key)
    for epoch in range(config.epochs):
        key, sub = jax.random.split(key)
        for images, labels in shuffled(sub, x, y, config.batch):
            state, loss = step(state, images, labels, config.smoothing)
        print(epoch, float(loss))
    return state


def fit_compiled_each_epoch(config: Config, x, y):
    key = jax.random.PRNGKey(0)
    state = create(config, key)
    for epoch in range(config.epochs):
        objective = functools.partial(loss_fn, apply=state.apply_fn, smoothing=config.smoothing)
        grad = jax.jit(jax.grad(lambda p, x, y: objective(p, x=x, y=y)))  # finding: compiled-per-call
        for images, labels in shuffled(key, x, y, config.batch):
            state = state.apply_gradients(grads=grad(state.params, images, labels))
    return state


def accuracy(state, x, y, size=500):
    @jax.jit
    def predict(params, images):
        return jnp.argmax(state.apply_fn({"params": params}, images), -1)

    right = 0
    for start in range(0, len(x), size):
        right += int((predict(state.params, x[start : start + size]) == y[start : start + size]).sum())
    return right / len(x)


def make_eval(apply):
    @jax.jit
    def evaluate(params, x):
        return jax.nn.softmax(apply({"params": params}, x))

    return evaluate


def ensembles(states, x):
    total = 0
    for state in states:
        total = total + make_eval(state.apply_fn)(state.params, x)  # finding: compiled-per-call
    return total / len(states)


def fit_plain(config: Config, x, y):
    net = Net()
    params = net.init(jax.random.PRNGKey(0), jnp.ones((1, 28, 28, 1)))["params"]
    tx = optax.sgd(config.rate, momentum=0.9)
    opt = tx.init(params)
    gradient = jax.grad(loss_fn)
    for epoch in range(config.epochs):
        for images, labels in shuffled(jax.random.PRNGKey(epoch), x, y, config.batch):  # finding: eager-loop
            grads = gradient(params, net.apply, config.smoothing, jnp.asarray(images), jnp.asarray(labels))
            updates, opt = tx.update(grads, opt, params)
            params = optax.apply_updates(params, updates)
    return params


def sharpness(state, x, y, directions):
    curve = []
    for d in directions:
        moved = jax.tree_util.tree_map(lambda p, v: p + 0.1 * v, state.params, d)
        curve.append(step(state.replace(params=moved), x, y, 0.0)[1])
    return jnp.stack(curve)


if __name__ == "__main__":
    data = np.load("digits.npz")
    final = fit(Config(), data["x"], data["y"])
    print(accuracy(final, data["xt"], data["yt"]))
