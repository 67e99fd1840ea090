# requires: jax==0.4.26
"""Exact GP regression of sea-level residuals, hyperparameters by Adam with restarts."""
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.scipy.linalg import cho_solve, solve_triangular

jax.config.update("jax_enable_x64", True)


class Hyper(NamedTuple):
    length: jax.Array
    amp: jax.Array
    noise: jax.Array


def sq(a, b):
    return jnp.sum(a * a, 1)[:, None] + jnp.sum(b * b, 1)[None] - 2 * a @ b.T


def rbf(h, d2):
    return jnp.exp(2 * h.amp) * jnp.exp(-0.5 * jnp.maximum(d2, 0.0) * jnp.exp(-2 * h.length))


def factor(h, d2):
    k = rbf(h, d2)
    n = k.shape[0]
    return jnp.linalg.cholesky(k + (jnp.exp(2 * h.noise) + 1e-8) * jnp.eye(n))


def nll(h, d2, y):
    c = factor(h, d2)
    a = cho_solve((c, True), y)
    return 0.5 * y @ a + jnp.sum(jnp.log(jnp.diagonal(c)))


def make_step(opt):
    @jax.jit
    def step(h, s, d2, y):
        loss, g = jax.value_and_grad(nll)(h, d2, y)
        up, s = opt.update(g, s, h)
        return optax.apply_updates(h, up), s, loss
    return step


@jax.jit
def predict(h, x, y, xs):
    c = factor(h, sq(x, x))
    ks = rbf(h, sq(x, xs))
    mean = ks.T @ cho_solve((c, True), y)
    v = solve_triangular(c, ks, lower=True)
    return mean, jnp.exp(2 * h.amp) - jnp.sum(v * v, 0)


def starts(n, key):
    for k in jax.random.split(key, n):
        z = jax.random.normal(k, (3,))
        yield Hyper(z[0] - 1.0, 0.3 * z[1], 0.5 * z[2] - 2.0)


def descend(step, opt, h, d2, y, patience=20, limit=400):
    s = opt.init(h)
    best, stale, it = np.inf, 0, 0
    while it < limit and stale < patience:
        h, s, loss = step(h, s, d2, y)
        loss = float(loss)
        stale = 0 if loss < best - 1e-3 else stale + 1
        best = min(best, loss)
        it += 1
    return best, h


def main():
    z = np.load("sealevel.npz")
    x, y, xs = (jnp.asarray(z[k]) for k in ("x", "y", "xs"))
    opt = optax.chain(optax.clip_by_global_norm(10.0), optax.adam(0.05))
    run = functools.partial(descend, make_step(opt), opt)
    d2 = sq(x, x)
    scored = [run(h, d2, y) for h in starts(8, jax.random.PRNGKey(0))]
    best, h = min(scored, key=lambda r: r[0])
    print("nll", best, h)
    mean, var = predict(h, x, y, xs)
    np.savez("prediction.npz", mean=mean, var=var)


if __name__ == "__main__":
    main()
