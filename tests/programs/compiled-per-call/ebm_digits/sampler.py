"""Short-run Langevin dynamics."""
import jax
import jax.numpy as jnp


def langevin(energy, params, x0, key, n_steps=40, step_size=10.0, noise=0.005):
    """Draws samples of exp(-energy), starting from x0."""

    @jax.jit  # finding: compiled-per-call
    def one_step(x, k):
        g = jax.grad(lambda y: energy(params, y).sum())(x)
        g = jnp.clip(g, -0.03, 0.03)
        x = x - step_size * g + noise * jax.random.normal(k, x.shape)
        return jnp.clip(x, -1.0, 1.0)

    x = x0
    for k in jax.random.split(key, n_steps):
        x = one_step(x, k)
    return x


class ReplayPool:
    def __init__(self, key, size, shape):
        self.data = jax.random.uniform(key, (size, *shape), minval=-1.0, maxval=1.0)

    def draw(self, key, n, p_new=0.05):
        k1, k2, k3 = jax.random.split(key, 3)
        idx = jax.random.randint(k1, (n,), 0, self.data.shape[0])
        fresh = jax.random.uniform(k2, (n, *self.data.shape[1:]), minval=-1.0, maxval=1.0)
        mask = jax.random.bernoulli(k3, p_new, (n, 1, 1, 1))
        return idx, jnp.where(mask, fresh, self.data[idx])

    def put(self, idx, x):
        self.data = self.data.at[idx].set(x)
