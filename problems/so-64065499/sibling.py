"""Routes over a hexagonal map are measured, with JAX."""

import jax
import jax.numpy as jnp
import numpy as np
from sibling_tiles import COLUMNS, place


class RouteMeter:
    def __init__(self, rows):
        tiles = jnp.arange(rows * COLUMNS)
        heights, widths = jax.lax.map(place, tiles)  # finding
        self.points = jnp.stack([heights, widths], axis=1)

    def length(self, route):
        legs = jnp.diff(self.points[route], axis=0)
        return jnp.linalg.norm(legs, axis=1).sum()


def main():
    meter = RouteMeter(rows=30)
    routes = np.random.default_rng(1).integers(0, 30 * COLUMNS, (5, 20))
    return [float(meter.length(jnp.asarray(route))) for route in routes]


if __name__ == "__main__":
    print(main())
