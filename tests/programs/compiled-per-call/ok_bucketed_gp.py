# requires: jax==0.4.30
"""Gaussian process regression for many sensors; compiled code is kept by padded size."""
import functools
from dataclasses import dataclass, field
from typing import Callable, Dict, Iterator, Tuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

BUCKETS = (64, 128, 256, 512)


def rbf(params, a, b):
    scaled = (a[:, None] - b[None, :]) / jnp.exp(params["length"])
    return jnp.exp(2 * params["amp"]) * jnp.exp(-0.5 * (scaled**2).sum(-1))


def nll(params, x, y, mask):
    k = rbf(params, x, x) * mask[:, None] * mask[None, :]
    k = k + jnp.diag(jnp.where(mask > 0, jnp.exp(2 * params["noise"]) + 1e-5, 1.0))
    chol = jnp.linalg.cholesky(k)
    alpha = jax.scipy.linalg.solve_triangular(chol, y * mask, lower=True)
    return 0.5 * (alpha**2).sum() + jnp.log(jnp.diag(chol)).sum()


def pad(x, y, size):
    n = len(x)
    mask = np.zeros(size, np.float32)
    mask[:n] = 1
    return (
        np.pad(x, ((0, size - n), (0, 0))).astype(np.float32),
        np.pad(y, (0, size - n)).astype(np.float32),
        mask,
    )


@dataclass
class Fitter:
    iterations: int = 200
    lr: float = 0.05
    compiled: Dict[int, Callable] = field(default_factory=dict)

    @functools.cached_property
    def optimizer(self):
        return optax.adam(self.lr)

    @functools.cached_property
    def gradient(self):
        return jax.jit(jax.value_and_grad(nll))

    def runner(self, size: int) -> Callable:
        """One compiled optimisation per bucket, whatever the number of sensors."""
        if size not in self.compiled:

            @jax.jit
            def run(params, x, y, mask):
                def body(carry, _):
                    params, state = carry
                    loss, grads = jax.value_and_grad(nll)(params, x, y, mask)
                    updates, state = self.optimizer.update(grads, state)
                    return (optax.apply_updates(params, updates), state), loss

                init = (params, self.optimizer.init(params))
                (params, _), losses = jax.lax.scan(body, init, None, length=self.iterations)
                return params, losses[-1]

            self.compiled[size] = run
        return self.compiled[size]

    def fit(self, x, y):
        size = next((b for b in BUCKETS if b >= len(x)), None)
        if size is None:
            raise ValueError(f"{len(x)} points are too many")
        params = {"length": jnp.zeros(()), "amp": jnp.zeros(()), "noise": jnp.full((), -2.0)}
        return self.runner(size)(params, *pad(x, y, size))


def sensors(path: str) -> Iterator[Tuple[str, np.ndarray, np.ndarray]]:
    with np.load(path) as data:
        for name in sorted(k[:-2] for k in data.files if k.endswith("_x")):
            yield name, data[name + "_x"], data[name + "_y"]


def main(path="sensors.npz"):
    fitter = Fitter()
    table = {}
    for name, x, y in sensors(path):
        params, loss = fitter.fit(x, y)
        # jax.jit of the same module function finds what was compiled before
        check = jax.jit(nll)(params, x.astype(np.float32), y.astype(np.float32), np.ones(len(x), np.float32))
        table[name] = jax.device_get(params)
        print(name, float(loss), float(check))
    np.save("params.npy", table, allow_pickle=True)


if __name__ == "__main__":
    main()
