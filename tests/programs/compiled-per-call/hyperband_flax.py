"""Successive halving over learning rates; each trial is a flax model trained for some steps."""
import itertools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Net(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(self.width)(x))
        return nn.Dense(10)(nn.relu(nn.Dense(self.width)(x)))


class Trial:
    def __init__(self, width, lr, sample, seed):
        self.net = Net(width)
        self.tx = optax.adam(lr)
        self.params = self.net.init(jax.random.PRNGKey(seed), sample)
        self.opt_state = self.tx.init(self.params)

    def loss(self, params, x, y):
        logits = self.net.apply(params, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    def step(self, x, y):
        value, grads = jax.jit(jax.value_and_grad(self.loss))(self.params, x, y)  # finding: compiled-per-call
        updates, self.opt_state = self.tx.update(grads, self.opt_state)
        self.params = optax.apply_updates(self.params, updates)
        return value

    def accuracy(self, x, y):
        return float((self.net.apply(self.params, x).argmax(-1) == y).mean())


def batches(x, y, size, rng):
    while True:
        pick = rng.integers(0, len(x), size)
        yield x[pick], y[pick]


def halving(x, y, xv, yv, widths, rates, budget):
    trials = [Trial(w, r, x[:1], i) for i, (w, r) in enumerate(itertools.product(widths, rates))]
    stream = batches(x, y, 128, np.random.default_rng(0))
    while len(trials) > 1:
        for trial in trials:
            for bx, by in itertools.islice(stream, budget):
                trial.step(bx, by)
        trials.sort(key=lambda t: -t.accuracy(xv, yv))
        trials, budget = trials[: len(trials) // 2], budget * 2
    return trials[0]


if __name__ == "__main__":
    d = np.load("digits.npz")
    best = halving(d["x"], d["y"], d["xv"], d["yv"], [64, 256], [1e-4, 1e-3, 1e-2, 1e-1], 500)
    print(best.net.width, best.accuracy(d["xv"], d["yv"]))
