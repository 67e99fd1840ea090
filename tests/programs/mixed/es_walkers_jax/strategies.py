"""Evolution strategies that share a base class."""

import abc

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class EvoState:
    mean: jnp.ndarray
    sigma: float
    generation: int = 0


class Strategy(abc.ABC):
    def __init__(self, size, population):
        self.size = size
        self.population = population

    def init(self, key):
        return EvoState(mean=jax.random.normal(key, (self.size,)) * 0.1, sigma=0.1)

    @abc.abstractmethod
    def ask(self, state, key):
        """Candidates of a generation."""

    @abc.abstractmethod
    def tell(self, state, candidates, fitness):
        """The state after it."""


class OpenES(Strategy):
    def ask(self, state, key):
        noise = jax.random.normal(key, (self.population // 2, self.size))
        return state.mean + state.sigma * jnp.concatenate([noise, -noise])

    def tell(self, state, candidates, fitness):
        ranks = jnp.argsort(jnp.argsort(fitness)) / (len(fitness) - 1) - 0.5
        gradient = ranks @ (candidates - state.mean) / (self.population * state.sigma**2)
        return state.replace(mean=state.mean + 0.05 * gradient, generation=state.generation + 1)
