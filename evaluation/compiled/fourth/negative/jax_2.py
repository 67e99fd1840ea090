"""State rebound without donation because the old one is still compared; lambdas for scan made inside jit; jit in a cached factory."""
from functools import lru_cache

import jax
import jax.numpy as jnp

TRACES = []
TAPS = jnp.array([0.25, 0.5, 0.25])


@lru_cache(maxsize=None)
def solver(inner):
    def sweep(field, source):
        TRACES.append(inner)
        mix = lambda u, _: (jnp.convolve(u, TAPS, mode="same") + source, None)
        return jax.lax.scan(mix, field, None, length=inner)[0]

    return jax.jit(sweep)


def relax(field, source, inner, tolerance=1e-4, limit=200):
    for rounds in range(1, limit + 1):
        previous = field
        field = solver(inner)(field, source)
        if rounds % 10 == 0 and float(jnp.abs(field - previous).max()) < tolerance:
            break
    return field, rounds


def main():
    source = jnp.zeros(64).at[32].set(0.01)
    answers = [relax(jnp.zeros(64), source * scale, 8) for scale in (1, 2, 3)]
    return [float(field.max()) for field, _ in answers], [rounds for _, rounds in answers], len(TRACES)


if __name__ == "__main__":
    print(main())
