import functools

import jax
import jax.numpy as jnp
import numpy as np


def field(params, t, y):
    for w, b in params[:-1]:
        y = jnp.tanh(y @ w + b)
    w, b = params[-1]
    return y @ w + b


def rk4(f, y, t, dt):
    k1 = f(t, y)
    k2 = f(t + dt / 2, y + dt / 2 * k1)
    k3 = f(t + dt / 2, y + dt / 2 * k2)
    k4 = f(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


class Solver:
    def __init__(self, dt):
        self.dt = dt

    def __call__(self, params, y, times):
        step = jax.jit(functools.partial(rk4, functools.partial(field, params)))  # finding: compiled-per-call
        out = []
        for t in times:
            y = step(y, t, self.dt)
            out.append(y)
        return jnp.stack(out)


class FastSolver(Solver):
    @functools.partial(jax.jit, static_argnums=0)
    def __call__(self, params, y, times):
        def body(y, t):
            y = rk4(functools.partial(field, params), y, t, self.dt)
            return y, y

        return jax.lax.scan(body, y, times)[1]


def loss(solver, params, y, times, target):
    return jnp.mean((solver(params, y, times) - target) ** 2)


def sgd(params, grads, rate):
    return jax.tree_util.tree_map(lambda p, g: p - rate * g, params, grads)


def train(solver, params, data, steps):
    grad = jax.jit(jax.grad(functools.partial(loss, solver)))
    for i in range(steps):
        y, times, target = data(i)
        params = sgd(params, grad(params, y, times, target), 1e-2)
    return params


def evaluate(solver, params, data, n):
    errors = []
    for i in range(n):
        y, times, target = data(i)
        out = solver(params, y, times)
        norm = jax.jit(lambda e: jnp.sqrt(jnp.mean(e**2)))  # finding: compiled-per-call
        errors.append(float(norm(out - target)))
    return np.mean(errors)


def init(sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [(jnp.array(rng.normal(size=(a, b)) / np.sqrt(a)), jnp.zeros(b)) for a, b in zip(sizes, sizes[1:])]


if __name__ == "__main__":
    times = jnp.linspace(0, 5, 100)
    data = lambda i: (jnp.ones((64, 2)) * i, times, jnp.zeros((100, 64, 2)))  # noqa: E731
    params = train(FastSolver(0.05), init([2, 64, 64, 2]), data, 5000)
    print(evaluate(Solver(0.05), params, data, 500))
