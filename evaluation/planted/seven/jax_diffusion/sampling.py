import jax
import jax.numpy as jnp

from model import ALPHA_BAR, BETAS, STEPS, denoise


def sample(params, key, length):
    key, k = jax.random.split(key)
    x = jax.random.normal(k, (length, 2))
    for t in reversed(range(STEPS)):
        eps = denoise(params, x, float(t))
        x = (x - BETAS[t] / jnp.sqrt(1 - ALPHA_BAR[t]) * eps) / jnp.sqrt(1 - BETAS[t])
        if t > 0:
            key, k = jax.random.split(key)
            x = x + jnp.sqrt(BETAS[t]) * jax.random.normal(k, x.shape)
    return x


def sample_many(params, key, n, length=32):
    out = []
    for k in jax.random.split(key, n):
        out.append(sample(params, k, length))
    return jnp.stack(out)


def coverage(samples, reference):
    """Mean distance from each sample to its nearest training trajectory."""
    best = []
    for s in samples:
        d = [float(jnp.mean(jnp.abs(s[:24] - r[:24]))) for r in reference]
        best.append(min(d))
    return sum(best) / len(best)
