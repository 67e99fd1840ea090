import jax
import jax.numpy as jnp


class WeightAverage:
    """Stochastic weight averaging over the later steps."""

    def __init__(self, start):
        self.start = start
        self.snapshots = []

    def add(self, step, params):
        self.snapshots.append((step, params))

    def value(self):
        late = [p for step, p in self.snapshots if step >= self.start]
        return jax.tree.map(lambda *leaves: jnp.stack(leaves).mean(axis=0), *late)
