"""Rank training examples by gradient similarity to a validation set (TracIn style)."""
import argparse
import pickle
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.flatten_util import ravel_pytree


def forward(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def example_loss(params, x, y):
    logits = forward(params, x)
    return optax.softmax_cross_entropy_with_integer_labels(logits, y)


@jax.jit
def gradient(params, x, y):
    g = jax.grad(example_loss)(params, x, y)
    return ravel_pytree(g)[0]


@jax.jit
def mean_gradient(params, x, y):
    g = jax.grad(lambda p: example_loss(p, x, y).mean())(params)
    return ravel_pytree(g)[0]


@partial(jax.jit, static_argnames="chunk")
def alignments(params, x, y, v, chunk):
    return jax.lax.map(lambda ex: gradient(params, *ex) @ v, (x, y), batch_size=chunk)


class TracIn:
    def __init__(self, checkpoints, lr, chunk=512):
        self.checkpoints = checkpoints
        self.lr = lr
        self.chunk = chunk

    def direction(self, params, x, y):
        return mean_gradient(params, x, y)

    def scores(self, train, valid):
        x, y = (jnp.asarray(a) for a in train)
        total = jnp.zeros(len(x))
        for params in self.checkpoints:
            v = self.direction(params, *valid)
            total += self.lr * alignments(params, x, y, v, self.chunk)
        return np.asarray(total)


def load_params(path):
    with open(path, "rb") as fh:
        return jax.tree.map(jnp.asarray, pickle.load(fh))


def load_split(path, split):
    with np.load(path) as z:
        return z[f"{split}_x"].astype(np.float32), z[f"{split}_y"].astype(np.int32)


def report(scores, labels, top):
    order = np.argsort(scores)
    for name, idx in {"harmful": order[:top], "helpful": order[::-1][:top]}.items():
        print(name)
        for i in idx:
            print(f"  {i:7d} class {labels[i]:3d} score {scores[i]: .4e}")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("data")
    ap.add_argument("checkpoints", nargs="+")
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--top", type=int, default=25)
    ap.add_argument("--out", default="tracin.npy")
    args = ap.parse_args()
    train, valid = load_split(args.data, "train"), load_split(args.data, "valid")
    tracer = TracIn([load_params(p) for p in args.checkpoints], args.lr)
    scores = tracer.scores(train, valid)
    np.save(args.out, scores)
    report(scores, train[1], args.top)


if __name__ == "__main__":
    main()
