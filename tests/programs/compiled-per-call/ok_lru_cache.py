from functools import lru_cache

import jax
import jax.numpy as jnp


@lru_cache(maxsize=None)
def stepper(order, boundary):
    def step(field, dt):
        moved = sum(jnp.roll(field, shift) for shift in (-order, order))
        return field + dt * (moved - 2.0 * field)

    return jax.jit(step)


def simulate(field, steps, dt=0.1):
    for index in range(steps):
        field = stepper(1, "periodic")(field, dt)
        if index % 100 == 0:
            print(index, float(field.std()))
    return field


if __name__ == "__main__":
    simulate(jnp.zeros(512).at[256].set(1.0), 10_000)
