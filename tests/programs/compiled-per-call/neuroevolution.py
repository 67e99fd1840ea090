# requires: jax==0.4.20
"""OpenAI-ES on a pole-balancing task written in JAX, with a plot of the best policy each few generations."""
import dataclasses
import functools
import time

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt


@dataclasses.dataclass
class Config:
    population: int = 256
    generations: int = 300
    steps: int = 200
    sigma: float = 0.1
    lr: float = 0.02
    hidden: int = 32
    plot_every: int = 20
    seed: int = 0


def init_policy(key, hidden):
    k1, k2 = jax.random.split(key)
    return {
        "w1": jax.random.normal(k1, (4, hidden)) * 0.5,
        "b1": jnp.zeros(hidden),
        "w2": jax.random.normal(k2, (hidden, 1)) * 0.1,
    }


def act(params, obs):
    h = jnp.tanh(obs @ params["w1"] + params["b1"])
    return jnp.tanh(h @ params["w2"])[0]


def dynamics(state, force):
    x, xd, th, thd = state
    temp = (10 * force + 0.05 * thd**2 * jnp.sin(th)) / 1.1
    acc = (9.8 * jnp.sin(th) - jnp.cos(th) * temp) / (0.5 * (4 / 3 - 0.1 * jnp.cos(th) ** 2 / 1.1))
    xacc = temp - 0.05 * acc * jnp.cos(th) / 1.1
    return jnp.array([x + 0.02 * xd, xd + 0.02 * xacc, th + 0.02 * thd, thd + 0.02 * acc])


def rollout(steps, params, key):
    start = jax.random.uniform(key, (4,), minval=-0.05, maxval=0.05)

    def body(carry, _):
        state, alive = carry
        state = dynamics(state, act(params, state))
        alive = alive * (jnp.abs(state[2]) < 0.2) * (jnp.abs(state[0]) < 2.4)
        return (state, alive), alive

    _, alive = jax.lax.scan(body, (start, 1.0), None, length=steps)
    return alive.sum()


class EvolutionStrategy:
    def __init__(self, config):
        self.config = config
        self.key = jax.random.PRNGKey(config.seed)
        self.key, sub = jax.random.split(self.key)
        self.params = init_policy(sub, config.hidden)
        self.history = []

    def noise(self, key):
        leaves, tree = jax.tree_util.tree_flatten(self.params)
        keys = jax.random.split(key, len(leaves))
        drawn = [jax.random.normal(k, (self.config.population,) + x.shape) for k, x in zip(keys, leaves)]
        return jax.tree_util.tree_unflatten(tree, drawn)

    def evaluate(self, candidates, key):
        """Returns of all candidates, in one call."""
        keys = jax.random.split(key, self.config.population)
        run = jax.jit(jax.vmap(functools.partial(rollout, self.config.steps)))  # finding: compiled-per-call
        return run(candidates, keys)

    def generation(self):
        self.key, k1, k2 = jax.random.split(self.key, 3)
        eps = self.noise(k1)
        candidates = jax.tree_util.tree_map(lambda p, e: p + self.config.sigma * e, self.params, eps)
        returns = self.evaluate(candidates, k2)
        adv = (returns - returns.mean()) / (returns.std() + 1e-8)

        @jax.jit  # finding: compiled-per-call
        def apply(params, eps):
            scale = self.config.lr / (self.config.population * self.config.sigma)
            return jax.tree_util.tree_map(lambda p, e: p + scale * jnp.tensordot(adv, e, 1), params, eps)

        self.params = apply(self.params, eps)
        return returns

    def fit(self):
        for g in range(self.config.generations):
            t = time.time()
            returns = self.generation()
            self.history.append(float(returns.mean()))
            if g % self.config.plot_every == 0:
                self.plot(g)
            print(f"{g} mean {returns.mean():.1f} best {returns.max():.1f} {time.time() - t:.2f}s")

    def plot(self, g):
        fig, ax = plt.subplots()
        ax.plot(self.history)
        ax.set_title(f"generation {g}")
        fig.savefig(f"es_{g:04d}.png")
        plt.close(fig)


if __name__ == "__main__":
    EvolutionStrategy(Config()).fit()
