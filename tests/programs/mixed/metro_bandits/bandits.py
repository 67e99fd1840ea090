"""Which train will be late? Bandits with linear and Gaussian models, in NumPy."""
from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np


@dataclass
class LinearModel:
    width: int
    ridge: float = 1.0
    gram: np.ndarray = field(init=False)
    moment: np.ndarray = field(init=False)

    def __post_init__(self):
        self.gram = self.ridge * np.eye(self.width)
        self.moment = np.zeros(self.width)

    def update(self, x, reward):
        self.gram += np.outer(x, x)
        self.moment += reward * x

    @property
    def weights(self):
        return np.linalg.solve(self.gram, self.moment)

    def bonus(self, x):
        return np.sqrt(x @ np.linalg.inv(self.gram) @ x)


def kernel(a, b, scale=1.0):
    gaps = ((a[:, None] - b[None]) ** 2).sum(-1)
    return np.exp(-gaps / (2 * scale**2))


class Gaussian:
    def __init__(self, noise=0.1):
        self.noise = noise
        self.x = None

    def fit(self, x, y):
        self.x, self.y = x, y
        return self

    def posterior(self, candidate):
        covariance = kernel(self.x, self.x) + self.noise**2 * np.eye(len(self.x))
        beside = kernel(self.x, candidate[None])
        solved = np.linalg.solve(covariance, np.column_stack([self.y, beside]))
        mean = beside[:, 0] @ solved[:, 0]
        return mean, 1.0 - beside[:, 0] @ solved[:, 1]


def best_candidate(model, candidates, kappa=2.0):
    best, chosen = -np.inf, None
    for candidate in candidates:
        mean, variance = model.posterior(candidate)  # finding: loop-invariant-op
        value = mean + kappa * np.sqrt(max(variance, 0.0))
        if value > best:
            best, chosen = value, candidate
    return chosen


def run(model, stream, alpha=0.5):
    total = 0.0
    for arms, rewards in stream:
        weights = model.weights
        values = [arm @ weights + alpha * model.bonus(arm) for arm in arms]  # finding: loop-invariant-op
        pulled = int(np.argmax(values))
        model.update(arms[pulled], rewards[pulled])
        total += rewards[pulled]
    return total


def simulate(environment, rounds, seed=0):
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=environment["width"])
    for _ in range(rounds):
        arms = rng.normal(size=(environment["arms"], environment["width"]))
        yield arms, arms @ hidden + rng.normal(0, 0.1, environment["arms"])


def main():
    for width, arms in itertools.product([20, 50], [10, 100]):
        stream = simulate({"width": width, "arms": arms}, 10_000)
        print(width, arms, run(LinearModel(width), stream))
    history = np.load("delays.npz")
    model = Gaussian().fit(history["x"], history["y"])
    print(best_candidate(model, np.random.default_rng(1).normal(size=(5_000, 20))))


if __name__ == "__main__":
    main()
