"""Inverts bed friction of a flow line with eager JAX and plain gradient descent."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


def second_difference(n, dx):
    d = jnp.zeros((n, n))
    i = jnp.arange(1, n - 1)
    return d.at[i, i - 1].set(1.0).at[i, i].set(-2.0).at[i, i + 1].set(1.0) / dx ** 2


def solve_flow(log_beta, thickness, slope, dx, viscosity):
    n = len(thickness)
    stiff = viscosity * second_difference(n, dx)  # note: loop-invariant-op
    a = jnp.diag(jnp.exp(log_beta)) - thickness[:, None] * stiff
    return jnp.linalg.solve(a, 910.0 * 9.81 * thickness * slope)


def misfit(log_beta, obs, smooth, **setup):
    u = solve_flow(log_beta, **setup)
    return jnp.mean((u - obs) ** 2) + smooth * jnp.mean(jnp.diff(log_beta) ** 2)


def descend(loss, x, rate, steps, tol=1e-9):
    value_and_grad = jax.value_and_grad(loss)
    last = np.inf
    for step in range(steps):
        value, g = value_and_grad(x)
        if abs(last - value) < tol:
            break
        last = float(value)
        x = x - rate * g / (jnp.linalg.norm(g) + 1e-12)
    return x, last


def main():
    raw = np.load("flowline.npz")
    setup = dict(thickness=jnp.asarray(raw["h"]), slope=jnp.asarray(raw["slope"]), dx=float(raw["dx"]),
                 viscosity=1e14)
    loss = functools.partial(misfit, obs=jnp.asarray(raw["u"]), smooth=1e-3, **setup)
    beta, value = descend(loss, jnp.zeros(len(raw["h"])), 1e-2, 3000)
    print(value)
    np.save("beta.npy", np.asarray(beta))


if __name__ == "__main__":
    main()
