"""Differentially private logistic/MLP training on patient records."""
import argparse
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax


def init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {"w": jax.random.normal(k, (i, o)) / jnp.sqrt(i), "b": jnp.zeros(o)}
        for k, i, o in zip(keys, sizes[:-1], sizes[1:])
    ]


def logits(params, x):
    for layer in params[:-1]:
        x = jax.nn.gelu(x @ layer["w"] + layer["b"])
    return (x @ params[-1]["w"] + params[-1]["b"]).squeeze(-1)


def nll(params, x, y):
    return optax.sigmoid_binary_cross_entropy(logits(params, x), y).mean()


grad_all = jax.jit(jax.vmap(jax.grad(nll), in_axes=(None, 0, 0)))


def example_grads(params, xs, ys):
    return grad_all(params, xs, ys)


@functools.partial(jax.jit, static_argnames=("clip", "sigma"))
def privatise(grads, key, clip, sigma):
    flat, tree = jax.tree.flatten(grads)
    norms = jnp.sqrt(sum(jnp.sum(g.reshape(g.shape[0], -1) ** 2, axis=1) for g in flat))
    scale = jnp.minimum(1.0, clip / (norms + 1e-9))
    keys = jax.random.split(key, len(flat))
    n = flat[0].shape[0]
    out = [
        (jnp.tensordot(scale, g, axes=1) + sigma * clip * jax.random.normal(k, g.shape[1:])) / n
        for k, g in zip(keys, flat)
    ]
    return jax.tree.unflatten(tree, out)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("npz")
    ap.add_argument("--batch", type=int, default=512)
    ap.add_argument("--steps", type=int, default=3000)
    ap.add_argument("--clip", type=float, default=1.0)
    ap.add_argument("--sigma", type=float, default=1.1)
    args = ap.parse_args()
    blob = np.load(args.npz)
    x, y = blob["x"].astype("float32"), blob["y"].astype("float32")
    key = jax.random.key(11)
    params = init(key, (x.shape[1], 128, 64, 1))
    tx = optax.sgd(0.1, momentum=0.9)
    opt = tx.init(params)

    @jax.jit
    def apply(params, opt, grads):
        delta, opt = tx.update(grads, opt)
        return optax.apply_updates(params, delta), opt

    rng = np.random.default_rng(11)
    for step in range(args.steps):
        idx = rng.integers(0, len(x), args.batch)
        key, sub = jax.random.split(key)
        noisy = privatise(example_grads(params, x[idx], y[idx]), sub, args.clip, args.sigma)
        params, opt = apply(params, opt, noisy)
        if step % 200 == 0:
            print(step, float(nll(params, x[:5000], y[:5000])))


if __name__ == "__main__":
    main()
