"""A network in plain JAX, after its tutorials, whose step nobody compiles."""

import jax
import jax.numpy as jnp


def init(key, sizes):
    keys = jax.random.split(key, len(sizes))
    return [
        (jax.random.normal(k, (m, n)) / m**0.5, jnp.zeros(n))
        for k, m, n in zip(keys, sizes[:-1], sizes[1:])
    ]


def predict(parameters, x):
    for weights, bias in parameters[:-1]:
        x = jnp.tanh(x @ weights + bias)
    weights, bias = parameters[-1]
    return x @ weights + bias


def loss(parameters, x, y):
    return jnp.mean((predict(parameters, x) - y) ** 2)


def update(parameters, x, y):
    gradients = jax.grad(loss)(parameters, x, y)
    return [(w - 0.05 * dw, b - 0.05 * db) for (w, b), (dw, db) in zip(parameters, gradients)]


def main():
    key = jax.random.PRNGKey(0)
    x = jax.random.normal(key, (2048, 8))
    y = jnp.sin(x.sum(1, keepdims=True))
    parameters = init(key, [8, 32, 32, 1])
    for epoch in range(8):
        for start in range(0, 2048, 64):
            parameters = update(parameters, x[start : start + 64], y[start : start + 64])
        print(f"epoch {epoch}: loss {float(loss(parameters, x, y)):.4f}")


if __name__ == "__main__":
    main()
