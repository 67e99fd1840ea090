# requires: jax==0.4.28
"""Physics rollout: jax.jit of the same module-level function finds what it compiled before."""
import sys

import jax
import jax.numpy as jnp
import numpy as np

G, SOFT, DT = 1.0, 1e-2, 1e-3


def acceleration(x, mass):
    d = x[None] - x[:, None]
    r2 = (d ** 2).sum(-1) + SOFT
    return G * (mass[None, :, None] * d / r2[..., None] ** 1.5).sum(1)


def leapfrog(state, mass):
    x, v = state
    v = v + 0.5 * DT * acceleration(x, mass)
    x = x + DT * v
    v = v + 0.5 * DT * acceleration(x, mass)
    return x, v


def energy(state, mass):
    x, v = state
    kinetic = 0.5 * (mass[:, None] * v ** 2).sum()
    d = x[None] - x[:, None]
    r = jnp.sqrt((d ** 2).sum(-1) + SOFT)
    pair = mass[None] * mass[:, None] / r
    return kinetic - 0.5 * G * (pair.sum() - jnp.trace(pair))


def plummer(n, seed):
    rng = np.random.default_rng(seed)
    r = 1 / np.sqrt(rng.random(n) ** (-2 / 3) - 1)
    direction = rng.normal(size=(n, 3))
    x = r[:, None] * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    v = rng.normal(size=(n, 3)) * 0.3
    return jnp.asarray(x), jnp.asarray(v), jnp.full(n, 1.0 / n)


def rollout(n, steps, seed):
    x, v, mass = plummer(n, seed)
    state = (x, v)
    start = float(jax.jit(energy)(state, mass))
    for i in range(steps):
        state = jax.jit(leapfrog)(state, mass)
        if i % 500 == 0:
            e = float(jax.jit(energy)(state, mass))
            print("%6d energy %.5f drift %.2e" % (i, e, abs(e - start) / abs(start)))
    return state


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
    for seed in range(20):
        x, v = rollout(n, 5000, seed)
        np.savez("cluster_%02d.npz" % seed, x=np.asarray(x), v=np.asarray(v))


if __name__ == "__main__":
    main()
