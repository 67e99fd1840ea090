"""Trains a perceptron on NumPy batches, as JAX's tutorial on data loading does."""

import jax
import jax.numpy as jnp
import numpy as np

SIZES = [784, 512, 512, 10]
RATE = 0.01


def digits(count, seed):
    """Rows of noise around one of ten means, and which."""
    generator = np.random.default_rng(seed)
    means = np.random.default_rng(0).normal(size=(10, 784)).astype("float32")
    labels = generator.integers(0, 10, count)
    return means[labels] + generator.normal(size=(count, 784)).astype("float32"), labels


def first_weights(key):
    keys = jax.random.split(key, len(SIZES))
    return [
        (
            0.01 * jax.random.normal(key, (rows, columns)),
            jnp.zeros(columns),
        )
        for key, rows, columns in zip(keys, SIZES[:-1], SIZES[1:], strict=False)
    ]


def predict(weights, rows):
    for matrix, bias in weights[:-1]:
        rows = jax.nn.relu(rows @ matrix + bias)
    matrix, bias = weights[-1]
    return jax.nn.log_softmax(rows @ matrix + bias)


def loss_of(weights, rows, labels):
    return -jnp.mean(predict(weights, rows)[jnp.arange(len(labels)), labels])


@jax.jit
def update(weights, rows, labels):
    gradients = jax.grad(loss_of)(weights, rows, labels)
    return jax.tree.map(lambda weight, gradient: weight - RATE * gradient, weights, gradients)


@jax.jit
def accuracy(weights, rows, labels):
    return jnp.mean(predict(weights, rows).argmax(axis=1) == labels)


def main():
    rows, labels = digits(16384, 1)
    weights = first_weights(jax.random.key(0))
    order = np.random.default_rng(2)
    for epoch in range(8):
        shuffled = order.permutation(len(rows))
        for begin in range(0, len(rows), 128):
            batch = shuffled[begin : begin + 128]
            weights = update(weights, rows[batch], labels[batch])
        print(f"epoch {epoch}: right {accuracy(weights, rows[:2048], labels[:2048]):.3f}")


if __name__ == "__main__":
    main()
