"""Games of Go, kept as lists of moves, are turned into planes for a value network."""

import jax
import jax.numpy as jnp
import numpy as np
from sibling_board import replay

SIDE = 13


def value(weights, planes):
    return jnp.tanh(planes.reshape(len(planes), -1) @ weights)


def main():
    rng = np.random.default_rng(8)
    planes = []
    for _ in range(4):
        free = rng.permutation(SIDE * SIDE)[:60]
        cells = np.stack([free // SIDE, free % SIDE], axis=1)
        planes.append(replay(jnp.asarray(cells), jnp.asarray([1, -1] * 30, jnp.int8), SIDE))
    weights = jax.random.normal(jax.random.key(0), (SIDE * SIDE,)) * 0.1
    return np.asarray(value(weights, jnp.stack(planes)))


if __name__ == "__main__":
    print(main())
