"""Learns a pendulum's potential; everything heavy lives inside one jitted step."""
import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

from dynamics import rk4


def rollout(params, start, steps, dt):
    def body(state, _):
        state = rk4(params, state, dt)
        return state, state

    _, path = jax.lax.scan(body, start, None, length=steps)
    return path


def loss_fn(params, start, target, dt):
    path = rollout(params, start, target.shape[0], dt)
    return jnp.mean((path - target) ** 2)


def init(key, width=64):
    k1, k2 = jax.random.split(key)
    return {
        "w1": jax.random.normal(k1, (width,)),
        "b1": jnp.zeros(width),
        "w2": jax.random.normal(k2, (width,)) / width,
    }


def main(path):
    data = np.load(path)
    starts, targets = jnp.asarray(data["start"]), jnp.asarray(data["target"])
    params = init(jax.random.PRNGKey(0))
    tx = optax.adam(3e-3)
    opt_state = tx.init(params)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(params, opt_state, start, target):
        value, grads = jax.value_and_grad(loss_fn)(params, start, target, 0.05)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, value

    order = np.random.default_rng(0)
    for it in range(20000):
        i = order.integers(len(starts))
        params, opt_state, value = step(params, opt_state, starts[i], targets[i])
        if it % 1000 == 0:
            print(it, float(value))
    np.savez("params.npz", **params)


if __name__ == "__main__":
    main(sys.argv[1])
