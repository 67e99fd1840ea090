import abc
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass
class Arm:
    mean: np.ndarray

    def pull(self, context):
        return float(context @ self.mean + np.random.randn())


class Policy(abc.ABC):
    def __init__(self, arms, dim):
        self.a = jnp.stack([jnp.eye(dim)] * arms)
        self.b = jnp.zeros((arms, dim))

    @abc.abstractmethod
    def scores(self, context):
        ...

    def choose(self, context):
        return int(jnp.argmax(self.scores(context)))

    def learn(self, arm, context, reward):
        self.a = self.a.at[arm].add(jnp.outer(context, context))  # finding: looped-update
        self.b = self.b.at[arm].add(reward * context)


def ucb(a, b, context, alpha):
    inverse = jnp.linalg.inv(a)
    return context @ inverse @ b + alpha * jnp.sqrt(context @ inverse @ context)


class SlowUCB(Policy):
    def scores(self, context):
        every = jax.jit(jax.vmap(ucb, (0, 0, None, None)))  # finding: compiled-per-call
        return every(self.a, self.b, context, 0.5)


class FastUCB(Policy):
    _every = staticmethod(jax.jit(jax.vmap(ucb, (0, 0, None, None))))

    def scores(self, context):
        return self._every(self.a, self.b, context, 0.5)


class Regret:
    def __init__(self):
        self.values = []

    def __call__(self, best, got):
        @jax.jit  # finding: compiled-per-call
        def gap(x, y):
            return jnp.maximum(x - y, 0.0)

        self.values.append(float(gap(best, got)))


def simulate(policy, arms, steps, report):
    for _ in range(steps):
        context = np.random.randn(8)
        k = policy.choose(context)
        reward = arms[k].pull(context)
        policy.learn(k, context, reward)
        report(max(context @ a.mean for a in arms), reward)


if __name__ == "__main__":
    arms = [Arm(np.random.randn(8)) for _ in range(10)]
    for kind in (SlowUCB, FastUCB):
        regret = Regret()
        simulate(kind(10, 8), arms, 10_000, regret)
        print(kind.__name__, np.sum(regret.values))
