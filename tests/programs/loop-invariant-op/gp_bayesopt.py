"""Bayesian optimisation of two hyper-parameters with a Gaussian process in JAX."""
from functools import partial
import time

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
from jax.scipy.stats import norm


def rbf(a, b, length_scale=0.2):
    sq = jnp.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1)
    return jnp.exp(-0.5 * sq / length_scale**2)


def posterior(x_seen, y_seen, x_new, noise=1e-3):
    gram = rbf(x_seen, x_seen) + noise * jnp.eye(len(x_seen))
    chol = jsl.cholesky(gram, lower=True)  # note: loop-invariant-op
    alpha = jsl.cho_solve((chol, True), y_seen)  # note: loop-invariant-op
    cross = rbf(x_seen, x_new)
    mean = cross.T @ alpha
    v = jsl.solve_triangular(chol, cross, lower=True)
    var = 1.0 - jnp.sum(v**2, axis=0)
    return mean[0], jnp.sqrt(jnp.maximum(var[0], 1e-9))


def expected_improvement(x_seen, y_seen, candidate):
    mean, std = posterior(x_seen, y_seen, candidate[None, :])
    z = (mean - jnp.max(y_seen)) / std
    return (mean - jnp.max(y_seen)) * norm.cdf(z) + std * norm.pdf(z)


@partial(jax.jit, static_argnames="steps")
def train_model(key, lr, decay, steps=300):
    x = jax.random.normal(key, (512, 16))
    truth = jnp.linspace(-1.0, 1.0, 16)
    y = x @ truth

    def step(w, _):
        grad = x.T @ (x @ w - y) / len(y) + decay * w
        return w - lr * grad, None

    w, _ = jax.lax.scan(step, jnp.zeros(16), None, length=steps)
    return -jnp.mean((x @ w - y) ** 2)


def propose(key, x_seen, y_seen, n_candidates=2000):
    candidates = jax.random.uniform(key, (n_candidates, 2))
    scores = [float(expected_improvement(x_seen, y_seen, c)) for c in candidates]
    return candidates[int(np.argmax(scores))]


def main(budget_seconds=600.0):
    key = jax.random.PRNGKey(0)
    key, sub = jax.random.split(key)
    x_seen = jax.random.uniform(sub, (5, 2))
    y_seen = jnp.array([train_model(key, x[0], 0.1 * x[1]) for x in x_seen])

    started = time.monotonic()
    while time.monotonic() - started < budget_seconds:
        key, k_propose, k_train = jax.random.split(key, 3)
        point = propose(k_propose, x_seen, y_seen)
        value = train_model(k_train, point[0], 0.1 * point[1])
        x_seen = jnp.vstack([x_seen, point])
        y_seen = jnp.append(y_seen, value)
        spread = jnp.std(y_seen)
        print(f"{len(y_seen):3d}  {float(value):.5f}  best {float(y_seen.max()):.5f}  sd {float(spread):.4f}")


if __name__ == "__main__":
    main()
