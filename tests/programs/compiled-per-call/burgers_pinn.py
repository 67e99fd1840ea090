"""Physics-informed network for Burgers' equation, 1d, in plain JAX.

u_t + u u_x = nu u_xx   on [-1, 1] x [0, 1],   u(x, 0) = -sin(pi x)
"""
import functools
import sys

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax
import scipy.io

NU = 0.01 / np.pi
LAYERS = [2, 20, 20, 20, 20, 1]


def init(key, sizes):
    params = []
    for fan_in, fan_out in zip(sizes[:-1], sizes[1:]):
        key, sub = jax.random.split(key)
        bound = np.sqrt(6.0 / (fan_in + fan_out))
        w = jax.random.uniform(sub, (fan_in, fan_out), minval=-bound, maxval=bound)
        params.append((w, jnp.zeros(fan_out)))
    return params


def net(params, x, t):
    h = jnp.stack([x, t])
    for w, b in params[:-1]:
        h = jnp.tanh(h @ w + b)
    w, b = params[-1]
    return (h @ w + b)[0]


def residual(params, x, t):
    u = net(params, x, t)
    u_x = jax.grad(net, 1)(params, x, t)
    u_t = jax.grad(net, 2)(params, x, t)
    u_xx = jax.grad(jax.grad(net, 1), 1)(params, x, t)
    return u_t + u * u_x - NU * u_xx


def loss_fn(params, inner, boundary):
    f = jax.vmap(residual, (None, 0, 0))(params, inner[:, 0], inner[:, 1])
    u = jax.vmap(net, (None, 0, 0))(params, boundary[:, 0], boundary[:, 1])
    return jnp.mean(f**2) + jnp.mean((u - boundary[:, 2]) ** 2)


def sample_inner(rng, n):
    return np.stack([rng.uniform(-1, 1, n), rng.uniform(0, 1, n)], 1)


def sample_boundary(rng, n):
    x0 = rng.uniform(-1, 1, n)
    start = np.stack([x0, np.zeros(n), -np.sin(np.pi * x0)], 1)
    t = rng.uniform(0, 1, n)
    walls = np.stack([rng.choice([-1.0, 1.0], n), t, np.zeros(n)], 1)
    return np.concatenate([start, walls])


def relative_error(params, grid):
    x, t, exact = grid
    u = jax.jit(jax.vmap(net, (None, 0, 0)))(params, x, t)  # finding: compiled-per-call
    return float(jnp.linalg.norm(u - exact) / jnp.linalg.norm(exact))


def train(grid, steps=30000, lr=1e-3, seed=0):
    rng = np.random.default_rng(seed)
    params = init(jax.random.PRNGKey(seed), LAYERS)
    opt = optax.adam(optax.exponential_decay(lr, 2000, 0.9))
    state = opt.init(params)
    history = []
    for step in range(steps):
        inner, boundary = sample_inner(rng, 10000), sample_boundary(rng, 100)
        loss, grads = jax.jit(jax.value_and_grad(loss_fn))(params, inner, boundary)  # finding: compiled-per-call
        updates, state = opt.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        if step % 100 == 0:
            history.append((step, float(loss), relative_error(params, grid)))
            print("step %6d  loss %.3e  rel. error %.3e" % history[-1])
    return params, history


def load_grid(path):
    data = scipy.io.loadmat(path)
    t, x = data["t"].flatten(), data["x"].flatten()
    xx, tt = np.meshgrid(x, t)
    return xx.ravel(), tt.ravel(), np.real(data["usol"]).T.ravel()


def plot(params, grid, file):
    x, t, exact = grid
    u = jax.vmap(functools.partial(net, params))(x, t)
    fig, axes = plt.subplots(1, 2, figsize=(9, 3))
    axes[0].scatter(t, x, c=u, s=1)
    axes[1].scatter(t, x, c=np.abs(u - exact), s=1)
    fig.savefig(file, dpi=200)


if __name__ == "__main__":
    grid = load_grid(sys.argv[1])
    params, history = train(grid)
    plot(params, grid, "burgers.png")
    np.savetxt("history.csv", history, delimiter=",")
