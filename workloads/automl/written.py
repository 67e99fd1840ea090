"""Searches the hyper-parameters of a network by successive halving, with JAX."""

import argparse
import json

import jax
import jax.numpy as jnp
import numpy as np

CLASSES, FEATURES = 4, 20


def generate_table(rows, seed):
    rng = np.random.default_rng(0)
    projection = rng.normal(size=(FEATURES, CLASSES))
    rng = np.random.default_rng(seed)
    x = rng.normal(loc=3, scale=rng.random(FEATURES) * 10 + 1, size=(rows, FEATURES))
    scaled = (x - x.mean(axis=0)) / x.std(axis=0)
    y = (np.tanh(scaled) @ projection).argmax(axis=1)
    return x.astype(np.float32), y


def prepare(x):
    """Ranks of each column, scaled to a normal shape."""
    ranks = x.argsort(axis=0).argsort(axis=0) / len(x)
    return jax.scipy.stats.norm.ppf(jnp.clip(jnp.array(ranks), 1e-3, 1 - 1e-3))


def sample_configuration(rng):
    return {
        "width": int(rng.choice([16, 32, 64])),
        "depth": int(rng.integers(1, 3)),
        "lr": float(10 ** rng.uniform(-2.5, -0.5)),
        "decay": float(10 ** rng.uniform(-6, -2)),
    }


def initialize(configuration, seed):
    sizes = [FEATURES] + [configuration["width"]] * configuration["depth"] + [CLASSES]
    keys = jax.random.split(jax.random.PRNGKey(seed), len(sizes) - 1)
    return [
        (jax.random.normal(key, (n, m)) * np.sqrt(2 / n), jnp.zeros(m))
        for key, n, m in zip(keys, sizes[:-1], sizes[1:])
    ]


def predict(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def train(configuration, x, y, steps, batch_size):
    """Trains for `steps`, from the start, and returns the parameters."""
    x = prepare(x)
    lr, decay = configuration["lr"], configuration["decay"]

    def loss_fn(params, batch_x, batch_y):
        logits = jax.nn.log_softmax(predict(params, batch_x))
        loss = -jnp.mean(logits[jnp.arange(len(batch_y)), batch_y])
        return loss + decay * sum(jnp.sum(w**2) for w, _ in params)

    @jax.jit
    def update(params, batch_x, batch_y):
        loss, grads = jax.value_and_grad(loss_fn)(params, batch_x, batch_y)
        return jax.tree.map(lambda p, g: p - lr * g, params, grads), loss

    params = initialize(configuration, seed=0)
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(steps):
        rows = rng.integers(0, len(x), batch_size)
        params, loss = update(params, x[rows], y[rows])
        losses.append(float(loss))
    return params, np.mean(losses[-20:])


def validate(params, x, y):
    x = prepare(x)
    right = 0
    for row, label in zip(x, y):
        right += int(jnp.argmax(predict(params, row)) == label)
    return right / len(y)


def successive_halving(candidates, data, valid, options):
    steps = options.steps
    while True:
        scored = []
        for number, configuration in candidates:
            params, loss = train(configuration, *data, steps, options.batch_size)
            accuracy = validate(params, *valid)
            scored.append((accuracy, -number, configuration))
            print(f"{steps} steps, candidate {number}: loss {loss:.3f} accuracy {accuracy:.3f}")
        scored.sort(key=lambda entry: entry[:2], reverse=True)
        if len(scored) == 1:
            return scored[0]
        candidates = [(-number, c) for _, number, c in scored[: len(scored) // 2]]
        steps *= 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=6)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--batch-size", type=int, default=64)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    candidates = [(number, sample_configuration(rng)) for number in range(options.candidates)]
    data = generate_table(options.rows, seed=1)
    valid = generate_table(options.rows // 20, seed=2)
    accuracy, number, configuration = successive_halving(candidates, data, valid, options)
    print(f"best: candidate {-number}, {configuration}")
    print(json.dumps({"accuracy": round(accuracy, 4), "candidate": -number}))


if __name__ == "__main__":
    main()
