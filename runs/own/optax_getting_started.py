"""Fits a linear model step by step, as Optax's page on getting started does."""

import jax
import jax.numpy as jnp
import optax

SAMPLES = 1000


def network(weights, rows):
    return jnp.dot(rows, weights)


def loss_of(weights, rows, wanted):
    return jnp.mean(optax.l2_loss(network(weights, rows), wanted))


def main():
    key = jax.random.key(42)
    target = jnp.array([0.5, -0.5])
    rows = jax.random.normal(key, (16, 2))
    wanted = jnp.sum(rows * target, axis=-1)
    optimizer = optax.adam(learning_rate=1e-2)
    weights = jnp.array([0.0, 0.0])
    state = optimizer.init(weights)
    for step in range(SAMPLES):
        gradients = jax.grad(loss_of)(weights, rows, wanted)
        updates, state = optimizer.update(gradients, state)
        weights = optax.apply_updates(weights, updates)
        if step % 200 == 0:
            print(f"step {step}: loss {loss_of(weights, rows, wanted):.5f}")
    print(weights)


if __name__ == "__main__":
    main()
