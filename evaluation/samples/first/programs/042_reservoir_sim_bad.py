"""Fit the permeability field of a 2-D reservoir to observed well pressures."""
import argparse
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax


class Wells(NamedTuple):
    rows: jax.Array
    cols: jax.Array
    rates: jax.Array


def laplace_flux(p, k):
    def face(a, b):
        return 2 * a * b / (a + b)

    px, kx = jnp.diff(p, axis=0), face(k[1:], k[:-1])
    py, ky = jnp.diff(p, axis=1), face(k[:, 1:], k[:, :-1])
    fx, fy = kx * px, ky * py
    out = jnp.zeros_like(p)
    out = out.at[:-1].add(fx).at[1:].add(-fx)
    return out.at[:, :-1].add(fy).at[:, 1:].add(-fy)


def advance(p, k, wells, dt):
    source = jnp.zeros_like(p).at[wells.rows, wells.cols].add(wells.rates)
    return p + dt * (laplace_flux(p, k) + source)


def simulate(log_k, wells, p0, steps, dt):
    k = jnp.exp(log_k)
    p, history = p0, []
    for _ in range(steps):
        p = advance(p, k, wells, dt)
        history.append(p[wells.rows, wells.cols])
    return jnp.stack(history)


def build_update(tx, steps, dt):
    @partial(jax.jit, donate_argnums=(0, 1))
    def update(log_k, opt_state, wells, p0, observed):
        def misfit(field):
            pred = simulate(field, wells, p0, steps, dt)
            smooth = jnp.square(jnp.diff(field, axis=0)).mean() + jnp.square(jnp.diff(field, axis=1)).mean()
            return jnp.square(pred - observed).mean() + 1e-3 * smooth

        value, grad = jax.value_and_grad(misfit)(log_k)
        delta, opt_state = tx.update(grad, opt_state, log_k)
        return optax.apply_updates(log_k, delta), opt_state, value

    return update


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("observations")
    ap.add_argument("--grid", type=int, default=128)
    ap.add_argument("--steps", type=int, default=600)
    ap.add_argument("--iterations", type=int, default=2000)
    ap.add_argument("--lr", type=float, default=2e-2)
    args = ap.parse_args()

    with np.load(args.observations) as z:
        wells = Wells(*(jnp.asarray(z[n]) for n in ("rows", "cols", "rates")))
        observed = jnp.asarray(z["pressure"][: args.steps])
    p0 = jnp.full((args.grid, args.grid), 200.0)
    log_k = jnp.zeros((args.grid, args.grid))
    tx = optax.adam(args.lr)
    opt_state = tx.init(log_k)
    update = build_update(tx, args.steps, dt=0.05)
    for it in range(args.iterations):
        log_k, opt_state, value = update(log_k, opt_state, wells, p0, observed)
        if it % 100 == 0:
            print(f"{it:5d} misfit {float(value):.5e}")
    np.save("log_permeability.npy", log_k)


if __name__ == "__main__":
    main()
