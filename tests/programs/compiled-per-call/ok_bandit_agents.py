# requires: jax==0.4.20
"""Neural bandits: each agent compiles its update once and plays thousands of rounds with it."""
import dataclasses
import functools
import json
import sys

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass(frozen=True)
class Settings:
    arms: int = 10
    width: int = 50
    rate: float = 1e-2
    rounds: int = 20000
    explore: float = 0.05


class Agent:
    def __init__(self, settings, seed):
        self.settings = settings
        key = jax.random.PRNGKey(seed)
        k1, k2 = jax.random.split(key)
        self.params = {
            "w1": 0.1 * jax.random.normal(k1, (settings.arms, settings.width)),
            "w2": 0.1 * jax.random.normal(k2, (settings.width, 1)),
        }
        self.rng = np.random.default_rng(seed)
        self.update = jax.jit(self._update)
        self.score = jax.jit(self._score)

    @staticmethod
    def _score(params, contexts):
        return (jax.nn.relu(contexts @ params["w1"]) @ params["w2"])[..., 0]

    def _update(self, params, context, reward):
        def loss(p):
            return (self._score(p, context) - reward) ** 2

        grads = jax.grad(loss)(params)
        return jax.tree_util.tree_map(lambda p, g: p - self.settings.rate * g, params, grads)

    def act(self, contexts):
        if self.rng.random() < self.settings.explore:
            return int(self.rng.integers(len(contexts)))
        return int(jnp.argmax(self.score(self.params, contexts)))

    def learn(self, context, reward):
        self.params = self.update(self.params, context, reward)


def contexts_of(rng, settings):
    return rng.normal(size=(settings.arms, settings.arms)).astype(np.float32)


def play(agent, settings, truth, seed):
    rng, regret = np.random.default_rng(seed), 0.0
    for _ in range(settings.rounds):
        contexts = contexts_of(rng, settings)
        means = contexts @ truth
        arm = agent.act(contexts)
        agent.learn(contexts[arm], means[arm] + 0.1 * rng.normal())
        regret += means.max() - means[arm]
    return float(regret)


@functools.lru_cache(maxsize=None)
def smoother(width):
    kernel = jnp.ones(width) / width
    return jax.jit(lambda x: jnp.convolve(x, kernel, mode="valid"))


def main(seeds):
    settings = Settings()
    truth = np.random.default_rng(0).normal(size=settings.arms).astype(np.float32)
    results = []
    for seed in range(seeds):
        agent = Agent(settings, seed)
        results.append(play(agent, settings, truth, seed))
        print(seed, results[-1], flush=True)
    smooth = smoother(min(5, seeds))(jnp.asarray(results))
    json.dump({"regret": results, "smooth": smooth.tolist()}, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]))
