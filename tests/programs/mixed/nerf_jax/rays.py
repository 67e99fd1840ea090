import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn


class Field(nn.Module):
    width: int = 128

    @nn.compact
    def __call__(self, points):
        waves = jnp.concatenate([jnp.sin(2.0**k * points) for k in range(6)], axis=-1)
        x = waves
        for _ in range(4):
            x = nn.relu(nn.Dense(self.width)(x))
        return nn.Dense(4)(x)


def unit_rows(directions):
    return jnp.stack([d / jnp.linalg.norm(d) for d in directions])  # finding: per-slice-op


def unit_rows_mapped(directions):
    return jax.vmap(lambda d: d / jnp.linalg.norm(d))(directions)


def tonemap(pixels):
    return np.apply_along_axis(lambda rgb: np.clip(rgb, 0, 1) ** (1 / 2.2), -1, pixels)  # finding: row-wise-map


def render(colors, density, delta):
    alpha = 1 - jnp.exp(-nn.relu(density) * delta)
    through = jnp.cumprod(1 - alpha + 1e-10, axis=-1)
    return jnp.sum((alpha * through)[..., None] * nn.sigmoid(colors), axis=-2)


def loss_of(params, field, rays, truth):
    out = field.apply(params, rays)
    guess = render(out[..., :3], out[..., 3], 0.05)
    return jnp.mean((guess - truth) ** 2)


def train_slowly(field, params, batches):
    optimizer = optax.adam(5e-4)
    state = optimizer.init(params)
    for rays, truth in batches:  # finding: eager-loop
        loss, grads = jax.value_and_grad(loss_of)(params, field, rays, truth)
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params, loss


def train(field, params, batches):
    optimizer = optax.adam(5e-4)
    state = optimizer.init(params)

    @jax.jit
    def step(params, state, rays, truth):
        loss, grads = jax.value_and_grad(loss_of)(params, field, rays, truth)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss

    for rays, truth in batches:
        params, state, loss = step(params, state, rays, truth)
    return params, loss


def batches(count, size, rng):
    """Points along rays, made up, and the colours that should be seen."""
    for _ in range(count):
        start = rng.normal(size=(size, 1, 3))
        heading = np.asarray(unit_rows(jnp.asarray(rng.normal(size=(size, 3)))))
        depths = np.linspace(0, 4, 32)[None, :, None]
        yield start + depths * heading[:, None], rng.uniform(size=(size, 3))


def main():
    rng = np.random.default_rng(0)
    field = Field()
    params = field.init(jax.random.key(0), jnp.zeros((1, 32, 3)))
    params, loss = train_slowly(field, params, batches(200, 512, rng))
    params, loss = train(field, params, batches(5000, 4096, rng))
    print(loss, unit_rows_mapped(jnp.ones((3, 3))), tonemap(rng.uniform(size=(64, 64, 3))).max())


if __name__ == "__main__":
    main()
