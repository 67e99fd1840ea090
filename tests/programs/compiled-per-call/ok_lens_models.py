"""Gravitational lens fits: everything that loops in JAX is inside of compiled functions."""
import functools
import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax


def deflection(params, x, y):
    q, b, core = params["q"], params["b"], params["core"]

    def body(i, carry):
        ax, ay = carry
        psi = jnp.sqrt(q**2 * (core**2 + ax**2) + ay**2)
        return 0.5 * (ax + x - b * ax / psi), 0.5 * (ay + y - b * ay / psi)

    return lax.fori_loop(0, 20, body, (x, y))


def source(params, x, y):
    r2 = (x - params["sx"]) ** 2 + (y - params["sy"]) ** 2
    return lax.cond(params["cusp"] > 0, lambda r: jnp.exp(-jnp.sqrt(r)), lambda r: jnp.exp(-r), r2)


def render(params, grid):
    bx, by = deflection(params, *grid)
    return source(params, bx, by)


def chi2(params, image, noise, grid):
    return jnp.mean(((render(params, grid) - image) / noise) ** 2)


def make_fit(grid, steps, rate):
    tx = optax.adam(rate)

    @functools.partial(jax.jit, static_argnames="verbose")
    def fit(params, image, noise, verbose=False):
        def step(carry, i):
            params, state = carry
            loss, g = jax.value_and_grad(chi2)(params, image, noise, grid)
            updates, state = tx.update(g, state)
            return (optax.apply_updates(params, updates), state), loss

        (params, _), losses = lax.scan(step, (params, tx.init(params)), jnp.arange(steps))
        return params, losses

    return fit


class Posterior:
    def __init__(self, grid, n_walkers=64):
        self.grid = grid
        self.n_walkers = n_walkers
        self._sample = jax.jit(jax.vmap(self._chain, in_axes=(0, None, None, None)))

    def _chain(self, key, params, image, noise):
        def move(carry, k):
            p, lp = carry
            k1, k2 = jax.random.split(k)
            leaves, tree = jax.tree.flatten(p)
            keys = jax.random.split(k1, len(leaves))
            q = jax.tree.unflatten(tree, [v + 0.01 * jax.random.normal(kk) for v, kk in zip(leaves, keys)])
            lq = -0.5 * chi2(q, image, noise, self.grid)
            take = jnp.log(jax.random.uniform(k2)) < lq - lp
            p = jax.tree.map(lambda a, b: jnp.where(take, a, b), q, p)
            return (p, jnp.where(take, lq, lp)), p

        start = (params, -0.5 * chi2(params, image, noise, self.grid))
        _, draws = lax.scan(move, start, jax.random.split(key, 500))
        return draws

    def sample(self, key, params, image, noise):
        return self._sample(jax.random.split(key, self.n_walkers), params, image, noise)


def main(paths):
    axis = jnp.linspace(-2, 2, 100)
    grid = jnp.meshgrid(axis, axis)
    fit = make_fit(grid, 400, 0.02)
    posterior = Posterior(grid)
    key = jax.random.PRNGKey(4)
    for path in paths:
        stored = np.load(path)
        start = {k: jnp.asarray(v) for k, v in json.loads(str(stored["start"])).items()}
        params, losses = fit(start, stored["image"], stored["noise"])
        key, sub = jax.random.split(key)
        draws = posterior.sample(sub, params, stored["image"], stored["noise"])
        print(path, float(losses[-1]), {k: (float(v.mean()), float(v.std())) for k, v in draws.items()})


if __name__ == "__main__":
    main(sys.argv[1:])
