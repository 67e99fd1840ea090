"""`jax.jit` of the same module function: JAX finds the compiled one again."""
import jax
import jax.numpy as jnp


def lorenz(state, dt):
    x, y, z = state
    change = jnp.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])
    return state + dt * change


def advance(state, dt):
    return jax.jit(lorenz)(state, dt)


def main(steps=5000):
    state = jnp.ones(3)
    for _ in range(steps):
        state = advance(state, 0.01)
    print(state)


if __name__ == "__main__":
    main()
