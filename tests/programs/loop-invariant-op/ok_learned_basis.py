"""Sparse coding of seismic traces in JAX: the basis is learned, so its Gram matrix changes."""
import argparse
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax


def unit(basis):
    return basis / jnp.linalg.norm(basis, axis=0, keepdims=True)


@partial(jax.jit, static_argnames="turns")
def encode(basis, traces, penalty, turns):
    gram = basis.T @ basis
    step = 1.0 / jnp.linalg.norm(gram, 2)
    corr = traces @ basis

    def body(_, codes):
        codes = codes - step * (codes @ gram - corr)
        return jnp.sign(codes) * jnp.maximum(jnp.abs(codes) - step * penalty, 0.0)

    return jax.lax.fori_loop(0, turns, body, jnp.zeros((len(traces), basis.shape[1])))


def loss(basis, traces, codes):
    return jnp.mean((traces - codes @ unit(basis).T) ** 2)


def batches(traces, size, seed):
    rng = np.random.default_rng(seed)
    mean, std = traces.mean(axis=0), traces.std(axis=0) + 1e-6
    while True:
        picked = rng.choice(len(traces), size, replace=False)
        yield jnp.asarray((traces[picked] - mean) / std)


def fit(traces, args):
    key = jax.random.PRNGKey(args.seed)
    basis = unit(jax.random.normal(key, (traces.shape[1], args.atoms)))
    optimizer = optax.adam(args.lr)
    state = optimizer.init(basis)
    grad = jax.jit(jax.value_and_grad(loss))
    feed = batches(traces, args.batch, args.seed)
    for step in range(args.steps):
        x = next(feed)
        codes = encode(unit(basis), x, args.penalty, args.turns)
        value, g = grad(basis, x, codes)
        updates, state = optimizer.update(g, state)
        basis = optax.apply_updates(basis, updates)
        if step % 100 == 0:
            coherence = jnp.abs(unit(basis).T @ unit(basis) - jnp.eye(args.atoms)).max()
            print(step, float(value), float(coherence))
    return unit(basis)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("traces", help="an array of traces, one per row")
    parser.add_argument("--atoms", type=int, default=256)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--penalty", type=float, default=0.1)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    basis = fit(np.load(args.traces).astype(np.float32), args)
    np.save("basis.npy", np.asarray(basis))


if __name__ == "__main__":
    main()
