"""Recurrent policy for a tracking task, with a loss weight that ramps up over training."""
import argparse
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

HIDDEN, OBS, ACT, HORIZON = 128, 12, 4, 64


class Params(NamedTuple):
    wx: jax.Array
    wh: jax.Array
    wo: jax.Array


def init(key):
    k1, k2, k3 = jax.random.split(key, 3)
    return Params(
        jax.random.normal(k1, (OBS, HIDDEN)) / OBS**0.5,
        jax.random.normal(k2, (HIDDEN, HIDDEN)) / HIDDEN**0.5,
        jax.random.normal(k3, (HIDDEN, ACT)) / HIDDEN**0.5,
    )


def rollout(params, obs):
    def cell(h, o):
        h = jnp.tanh(o @ params.wx + h @ params.wh)
        return h, h @ params.wo

    h0 = jnp.zeros((obs.shape[0], HIDDEN))
    _, actions = jax.lax.scan(cell, h0, obs.swapaxes(0, 1))
    return actions.swapaxes(0, 1)


tx = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(3e-4))


@partial(jax.jit, static_argnames=("total",), donate_argnums=(0, 1))
def update(params, opt_state, obs, target, iteration, total):
    ramp = jnp.clip(iteration / (0.5 * total), 0.0, 1.0)

    def objective(p):
        actions = rollout(p, obs)
        err = jnp.square(actions - target).mean()
        effort = jnp.square(jnp.diff(actions, axis=1)).mean()
        return err + 0.1 * ramp * effort

    value, grads = jax.value_and_grad(objective)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, value


@partial(jax.jit, static_argnums=1)
def make_task(key, batch):
    k1, k2 = jax.random.split(key)
    obs = jax.random.normal(k1, (batch, HORIZON, OBS)).cumsum(1) * 0.1
    target = jnp.tanh(obs[..., :ACT]) + 0.05 * jax.random.normal(k2, (batch, HORIZON, ACT))
    return obs, target


def train(key, iterations, batch, log_every):
    key, sub = jax.random.split(key)
    params = init(sub)
    opt_state = tx.init(params)
    for it in range(iterations):
        key, sub = jax.random.split(key)
        obs, target = make_task(sub, batch)
        params, opt_state, value = update(
            params, opt_state, obs, target, iteration=it, total=iterations
        )
        if it % log_every == 0:
            print(f"{it:6d} {float(value):.5f}")
    return params


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--iterations", type=int, default=20_000)
    ap.add_argument("--batch", type=int, default=1024)
    ap.add_argument("--log-every", type=int, default=500)
    args = ap.parse_args()
    params = train(jax.random.key(0), args.iterations, args.batch, args.log_every)
    jnp.savez("policy.npz", **params._asdict())


if __name__ == "__main__":
    main()
