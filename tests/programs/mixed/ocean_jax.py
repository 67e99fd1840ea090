"""Shallow water on a grid, and a closure learned from it. JAX throughout."""

import functools

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax

DX = 1_000.0
DT = 10.0
GRAVITY = 9.81


def laplacian(field):
    return (
        jnp.roll(field, 1, 0)
        + jnp.roll(field, -1, 0)
        + jnp.roll(field, 1, 1)
        + jnp.roll(field, -1, 1)
        - 4 * field
    ) / DX**2


def gradient(field):
    east = (jnp.roll(field, -1, 1) - jnp.roll(field, 1, 1)) / (2 * DX)
    north = (jnp.roll(field, -1, 0) - jnp.roll(field, 1, 0)) / (2 * DX)
    return east, north


def step(state, viscosity):
    u, v, h = state
    east, north = gradient(h)
    u = u - DT * GRAVITY * east + DT * viscosity * laplacian(u)
    v = v - DT * GRAVITY * north + DT * viscosity * laplacian(v)
    du, _ = gradient(u)
    _, dv = gradient(v)
    return u, v, h - DT * 100.0 * (du + dv)


def simulate(steps, viscosity=50.0):
    key = jax.random.PRNGKey(0)
    h = jax.random.normal(key, (128, 128))
    state = (jnp.zeros_like(h), jnp.zeros_like(h), h)
    frames = []
    for number in range(steps):  # finding: eager-loop
        state = step(state, viscosity)
        if number % 100 == 0:
            frames.append(np.asarray(state[2]))
    return np.stack(frames)


@functools.partial(jax.jit, static_argnums=1)
def rollout(state, count):
    def body(carry, _):
        carry = step(carry, 50.0)
        return carry, carry[2]

    return jax.lax.scan(body, state, None, length=count)


def horizons(state):
    """Errors at growing horizons."""
    errors = []
    for horizon in range(1, 200):
        _, fields = rollout(state, horizon)  # finding: retracing
        errors.append(float(jnp.abs(fields[-1]).mean()))
    return errors


def net(params, x):
    for weights, bias in params:
        x = jnp.tanh(x @ weights + bias)
    return x


def loss(params, x, y):
    return jnp.mean((net(params, x) - y) ** 2)


def fit(x, y, rounds=2_000):
    keys = jax.random.split(jax.random.PRNGKey(1), 3)
    sizes = [(9, 32), (32, 32), (32, 1)]
    params = [(jax.random.normal(k, s) * 0.1, jnp.zeros(s[1])) for k, s in zip(keys, sizes)]
    optimizer = optax.adam(1e-3)
    memory = optimizer.init(params)

    @jax.jit
    def update(params, memory, x, y):
        grads = jax.grad(loss)(params, x, y)
        changes, memory = optimizer.update(grads, memory)
        return optax.apply_updates(params, changes), memory

    for _ in range(rounds):
        params, memory = update(params, memory, x, y)
    return params


def patches(frames):
    """A 3x3 patch around each of some cells."""
    rng = np.random.default_rng(0)
    rows = rng.integers(1, 127, 20_000)
    columns = rng.integers(1, 127, 20_000)
    target = jnp.array([frames[-1][r, c] for r, c in zip(rows, columns)])  # finding: looped-lookup
    inputs = np.stack([frames[-2][rows + i, columns + j] for i in (-1, 0, 1) for j in (-1, 0, 1)], -1)
    return jnp.asarray(inputs), target[:, None]


if __name__ == "__main__":
    film = simulate(5_000)
    figure, axes = plt.subplots(1, 4)
    for axis, frame in zip(axes, film[::12]):
        axis.imshow(frame)
    figure.savefig("film.png")
    params = fit(*patches(film))
    print(horizons((jnp.zeros((128, 128)),) * 2 + (jnp.asarray(film[-1]),)))
