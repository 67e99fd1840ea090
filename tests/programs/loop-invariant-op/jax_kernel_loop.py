import jax
import jax.numpy as jnp


def rbf(a, b, scale):
    squared = jnp.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1)
    return jnp.exp(-squared / scale)


def sample_paths(inducing, keys, scale=1.0):
    """One draw of the process for each key."""
    draws = []
    for key in keys:
        factor = jnp.linalg.cholesky(rbf(inducing, inducing, scale))  # note: loop-invariant-op
        noise = jax.random.normal(key, (inducing.shape[0],))
        draws.append(factor @ noise)
    return jnp.stack(draws)


def main():
    points = jnp.linspace(0.0, 1.0, 300)[:, None]
    keys = jax.random.split(jax.random.PRNGKey(0), 500)
    print(sample_paths(points, keys).shape)


if __name__ == "__main__":
    main()
