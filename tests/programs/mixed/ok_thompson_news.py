"""Linear Thompson sampling for news ranking, replayed over a click simulator."""
import dataclasses

import numpy as np


@dataclasses.dataclass
class Belief:
    dim: int
    ridge: float = 1.0
    noise: float = 0.5

    def __post_init__(self):
        self.gram = self.ridge * np.eye(self.dim)
        self.moment = np.zeros(self.dim)

    @property
    def covariance(self):
        return np.linalg.inv(self.gram)

    def absorb(self, x, r):
        self.gram += np.outer(x, x)
        self.moment += r * x

    def draw(self, rng):
        cov = self.covariance
        root = np.linalg.cholesky(self.noise ** 2 * cov)
        return cov @ self.moment + root @ rng.standard_normal(self.dim)


class World:
    def __init__(self, dim, pool, rng):
        self.theta = rng.standard_normal(dim) / np.sqrt(dim)
        self.dim, self.pool, self.rng = dim, pool, rng

    def arrivals(self):
        while True:
            self.theta += 1e-4 * self.rng.standard_normal(self.dim)
            yield self.rng.standard_normal((self.pool, self.dim))

    def click(self, x):
        return float(self.rng.random() < 1 / (1 + np.exp(-x @ self.theta)))


class Policy:
    def __init__(self, belief, rng):
        self.belief, self.rng = belief, rng
        self.listeners = [belief.absorb]

    def choose(self, articles):
        return int(np.argmax(articles @ self.belief.draw(self.rng)))

    def learn(self, x, r):
        for fn in self.listeners:
            fn(x, r)


class Trace:
    def __init__(self):
        self.regret = []

    def __call__(self, world, articles, pick):
        value = 1 / (1 + np.exp(-articles @ world.theta))
        self.regret.append(value.max() - value[pick])

    def summary(self, window=500):
        r = np.asarray(self.regret)
        edges = range(0, len(r), window)
        return [float(r[i:i + window].mean()) for i in edges]


def simulate(rounds=3000, dim=120, pool=30, seed=0):
    rng = np.random.default_rng(seed)
    world, policy, trace = World(dim, pool, rng), Policy(Belief(dim), rng), Trace()
    t = 0
    for articles in world.arrivals():
        pick = policy.choose(articles)
        trace(world, articles, pick)
        policy.learn(articles[pick], world.click(articles[pick]))
        t += 1
        if t == rounds:
            return trace.summary()


if __name__ == "__main__":
    for i, r in enumerate(simulate()):
        print(f"{i * 500:6d} {r:.4f}")
