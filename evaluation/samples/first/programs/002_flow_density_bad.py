"""Normalising flow density estimation on tabular data."""
import argparse
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax


class State(NamedTuple):
    params: dict
    opt_state: optax.OptState


def init_params(key, dim, hidden, layers):
    params = []
    for k in jax.random.split(key, layers):
        k1, k2 = jax.random.split(k)
        params.append(
            {
                "w1": jax.random.normal(k1, (dim // 2, hidden)) * 0.05,
                "b1": jnp.zeros(hidden),
                "w2": jax.random.normal(k2, (hidden, dim)) * 0.01,
                "b2": jnp.zeros(dim),
            }
        )
    return params


def log_prob(params, x):
    log_det = jnp.zeros(x.shape[0])
    for layer in params:
        a, b = jnp.split(x, 2, axis=-1)
        h = jnp.tanh(a @ layer["w1"] + layer["b1"]) @ layer["w2"] + layer["b2"]
        shift, log_scale = jnp.split(h, 2, axis=-1)
        b = (b - shift) * jnp.exp(-log_scale)
        log_det -= log_scale.sum(-1)
        x = jnp.concatenate([b, a], axis=-1)
    return -0.5 * (x**2).sum(-1) - 0.5 * x.shape[-1] * jnp.log(2 * jnp.pi) + log_det


class FlowFitter:
    def __init__(self, dim, hidden=256, layers=8, lr=1e-3, seed=0):
        self.tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(lr))
        params = init_params(jax.random.key(seed), dim, hidden, layers)
        self.state = State(params, self.tx.init(params))

    def update(self, batch):
        def nll(params):
            return -log_prob(params, batch).mean()

        loss, grads = jax.jit(jax.value_and_grad(nll))(self.state.params)
        updates, opt_state = self.tx.update(grads, self.state.opt_state, self.state.params)
        self.state = State(optax.apply_updates(self.state.params, updates), opt_state)
        return loss


def batches(x, size, rng):
    order = rng.permutation(len(x))
    for s in range(0, len(x) - size + 1, size):
        yield x[order[s : s + size]]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("data")
    ap.add_argument("--epochs", type=int, default=50)
    ap.add_argument("--batch-size", type=int, default=2048)
    args = ap.parse_args()

    x = np.load(args.data).astype(np.float32)
    rng = np.random.default_rng(0)
    fitter = FlowFitter(x.shape[1])
    for epoch in range(args.epochs):
        for batch in batches(x, args.batch_size, rng):
            loss = fitter.update(batch)
        print(f"epoch {epoch} nll {float(loss):.4f}")


if __name__ == "__main__":
    main()
