# requires: jax==0.4.30
"""Few-shot regression with MAML, and what people add to it over a year."""

import functools
import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import grad, jit, vmap

INNER_STEPS = 5


def init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        (jax.random.normal(k, (m, n)) / jnp.sqrt(m), jnp.zeros(n))
        for k, m, n in zip(keys, sizes, sizes[1:])
    ]


def apply(params, x):
    for w, b in params[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def loss(params, x, y):
    return jnp.mean((apply(params, x) - y) ** 2)


def adapt(params, x, y, lr):
    for _ in range(INNER_STEPS):
        params = jax.tree_util.tree_map(lambda p, g: p - lr * g, params, grad(loss)(params, x, y))
    return params


@functools.partial(jit, static_argnames="lr")
def query_loss(params, batch, lr=0.05):
    def one(xs, ys, xq, yq):
        return loss(adapt(params, xs, ys, lr), xq, yq)

    return vmap(one)(*batch).mean()


def sinusoids(rng, tasks, shots):
    while True:
        amp, phase = rng.uniform(0.1, 5, (tasks, 1, 1)), rng.uniform(0, np.pi, (tasks, 1, 1))
        x = rng.uniform(-5, 5, (tasks, 2 * shots, 1))
        y = amp * np.sin(x + phase)
        yield x[:, :shots], y[:, :shots], x[:, shots:], y[:, shots:]


def adapt_all(params, tasks, lr=0.05):
    adapted = []
    for xs, ys in tasks:
        fast = jit(lambda p: adapt(p, xs, ys, lr))  # finding: compiled-per-call
        adapted.append(fast(params))
    return adapted


class Meta:
    def __init__(self, params, optimizer):
        self.params = params
        self.optimizer = optimizer
        self.state = optimizer.init(params)
        self.value_and_grad = jit(jax.value_and_grad(query_loss))

    def step(self, batch):
        value, grads = self.value_and_grad(self.params, batch)
        updates, self.state = self.optimizer.update(grads, self.state)
        self.params = optax.apply_updates(self.params, updates)
        return value

    def norm(self, batch):
        grads = jit(grad(functools.partial(query_loss, lr=0.01)))(self.params, batch)  # finding: compiled-per-call
        return optax.global_norm(grads)


class Calibrated(eqx.Module):
    scale: jax.Array
    shift: jax.Array

    def __call__(self, y):
        return self.scale * y + self.shift


def calibration_error(calibrated, params, batch):
    @eqx.filter_jit  # finding: compiled-per-call
    def error(module, xq, yq):
        return jnp.abs(module(apply(params, xq)) - yq).mean()

    return error(calibrated, batch[2], batch[3])


def replicas(params, stream, rates):
    """Yields the parameters after each batch, one replica per device."""
    for batch, rate in zip(stream, rates):
        update = jax.pmap(  # finding: compiled-per-call
            functools.partial(adapt, lr=rate), in_axes=(None, 0, 0)
        )
        params = jax.tree_util.tree_map(lambda p: p.mean(0), update(params, batch[0], batch[1]))
        yield params


def timings(params, batch):
    """Compiles once for each of three depths, and runs each a thousand times."""
    result = {}
    for steps in (1, 5, 10):
        run = jit(functools.partial(jax.lax.fori_loop, 0, steps, lambda i, p: adapt(p, *batch, 0.05)))
        for _ in range(1000):
            params = run(params)
        result[steps] = jax.block_until_ready(params)
    return result


def evaluate(params, stream, rounds):
    # the function is one of the module, so that jax finds it compiled
    return np.mean([jit(loss)(params, b[2], b[3]) for b in itertools.islice(stream, rounds)])


def main():
    rng = np.random.default_rng(0)
    stream = sinusoids(rng, tasks=16, shots=10)
    meta = Meta(init(jax.random.PRNGKey(0), [1, 64, 64, 1]), optax.adam(1e-3))
    calibrated = Calibrated(jnp.ones(1), jnp.zeros(1))

    for i, batch in enumerate(itertools.islice(stream, 30000)):
        value = meta.step(batch)
        if i % 10 == 0:
            error = calibration_error(calibrated, meta.params, batch)
            print(i, float(value), float(meta.norm(batch)), float(error))

    held_out = next(stream)
    adapt_all(meta.params, zip(held_out[0], held_out[1]))
    for params in replicas(meta.params, stream, np.geomspace(1e-1, 1e-3, 500)):
        meta.params = params
    print(evaluate(meta.params, stream, 100))
    print(timings(meta.params, (held_out[0][0], held_out[1][0])))


if __name__ == "__main__":
    main()
