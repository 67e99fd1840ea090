import jax
import jax.numpy as jnp


def adam_init(params):
    zeros = jax.tree.map(jnp.zeros_like, params)
    return {"m": zeros, "v": zeros, "t": 0}


def adam_update(params, grads, state, lr=1e-3, b1=0.9, b2=0.999):
    t = state["t"] + 1
    m = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, state["m"], grads)
    v = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, state["v"], grads)
    mh = jax.tree.map(lambda m: m / (1 - b1 ** t), m)
    vh = jax.tree.map(lambda v: v / (1 - b2 ** t), v)
    params = jax.tree.map(lambda p, m, v: p - lr * m / (jnp.sqrt(v) + 1e-8), params, mh, vh)
    return params, {"m": m, "v": v, "t": t}


class Replay:
    """Most recent samples, used as negatives in the report."""

    def __init__(self, size=20000, length=64):
        self.buf = jnp.zeros((size, length, 2))
        self.pos = 0

    def add(self, batch):
        for traj in batch:
            self.buf = self.buf.at[self.pos % len(self.buf), : len(traj)].set(traj)
            self.pos += 1
