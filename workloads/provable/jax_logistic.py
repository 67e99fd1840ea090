"""A logistic regression, after JAX's introduction to automatic differentiation."""

import jax
import jax.numpy as jnp


def sigmoid(x):
    return 0.5 * (jnp.tanh(x / 2) + 1)


def predict(W, b, inputs):
    return sigmoid(jnp.dot(inputs, W) + b)


def loss(W, b, inputs, targets):
    preds = predict(W, b, inputs)
    label_probs = preds * targets + (1 - preds) * (1 - targets)
    return -jnp.mean(jnp.log(label_probs + 1e-6))


def main():
    key, W_key, x_key = jax.random.split(jax.random.key(0), 3)
    inputs = jax.random.normal(x_key, (256, 6))
    targets = (inputs[:, 0] - inputs[:, 1] > 0).astype(jnp.float32)
    W, b = jax.random.normal(W_key, (6,)), 0.0
    for step in range(150):
        W_grad, b_grad = jax.grad(loss, (0, 1))(W, b, inputs, targets)
        W, b = W - 0.3 * W_grad, b - 0.3 * b_grad
        if step % 50 == 0:
            print("step", step, "loss", f"{loss(W, b, inputs, targets):.4f}")
    print("weights", " ".join(f"{one:.3f}" for one in W.tolist()))


if __name__ == "__main__":
    main()
