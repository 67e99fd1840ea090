"""Gain, component flips and extra noise; one key for each trace."""
import jax
import jax.numpy as jnp


def change(key, trace, mask, noise):
    k_gain, k_flip, k_noise = jax.random.split(key, 3)
    gain = jnp.exp(0.3 * jax.random.normal(k_gain, ()))
    flip = jax.random.rademacher(k_flip, (3,), jnp.float32)
    extra = noise * jax.random.normal(k_noise, (160, 3))[: trace.shape[0]]
    return (trace * gain * flip + extra) * mask[:, None]


def augment_batch(key, x, mask, noise):
    keys = jax.random.split(key, len(x))
    changed = []
    for i in range(len(x)):
        changed.append(change(keys[i], jnp.asarray(x[i]), jnp.asarray(mask[i]), noise))
    return jnp.stack(changed)
