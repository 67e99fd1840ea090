"""Prepare mesh graphs (dense normalised adjacency) for a JAX surrogate model."""
import argparse
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np


@dataclass
class Mesh:
    points: np.ndarray
    edges: np.ndarray
    field: np.ndarray

    @classmethod
    def read(cls, path):
        with np.load(path) as z:
            return cls(z["points"], z["edges"], z["field"])


def edge_weights(mesh):
    d = mesh.points[mesh.edges[:, 0]] - mesh.points[mesh.edges[:, 1]]
    return 1.0 / (np.linalg.norm(d, axis=1) + 1e-6)


def adjacency(mesh, size):
    weights = edge_weights(mesh)
    dense = np.eye(size, dtype=np.float32)
    dense[mesh.edges[:, 0], mesh.edges[:, 1]] = weights
    dense[mesh.edges[:, 1], mesh.edges[:, 0]] = weights
    a = jnp.asarray(dense)
    inv = jax.lax.rsqrt(a.sum(1))
    return inv[:, None] * a * inv[None, :]


def init(key, dim, hidden):
    k = jax.random.split(key, 3)
    return [
        jax.random.normal(k[0], (dim, hidden)) / dim**0.5,
        jax.random.normal(k[1], (hidden, hidden)) / hidden**0.5,
        jax.random.normal(k[2], (hidden, 1)) / hidden**0.5,
    ]


@jax.jit
def predict(params, a, x):
    for w in params[:-1]:
        x = jax.nn.relu(a @ x @ w)
    return (a @ x @ params[-1])[:, 0]


@partial(jax.jit, donate_argnums=0)
def sgd(params, a, x, y, mask):
    def loss(p):
        return (mask * (predict(p, a, x) - y) ** 2).sum() / mask.sum()

    value, grads = jax.value_and_grad(loss)(params)
    return jax.tree.map(lambda p, g: p - 1e-2 * g, params, grads), value


def pad(x, size):
    return np.pad(x, [(0, size - len(x))] + [(0, 0)] * (x.ndim - 1)).astype(np.float32)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("meshes", type=Path)
    ap.add_argument("--size", type=int, default=2048)
    ap.add_argument("--epochs", type=int, default=30)
    args = ap.parse_args()
    meshes = [Mesh.read(p) for p in sorted(args.meshes.glob("*.npz"))]
    graphs = [adjacency(m, args.size) for m in meshes]
    inputs = [jnp.asarray(pad(m.points, args.size)) for m in meshes]
    targets = [jnp.asarray(pad(m.field, args.size)) for m in meshes]
    masks = [jnp.asarray(pad(np.ones(len(m.points)), args.size)) for m in meshes]
    params = init(jax.random.key(0), meshes[0].points.shape[1], 128)
    for epoch in range(args.epochs):
        for a, x, y, m in zip(graphs, inputs, targets, masks):
            params, value = sgd(params, a, x, y, m)
        print(epoch, float(value))


if __name__ == "__main__":
    main()
