import jax
import jax.numpy as jnp


def adam_init(params):
    zeros = jax.tree.map(jnp.zeros_like, params)
    return {"m": zeros, "v": zeros, "t": jnp.zeros(())}


def adam_update(params, grads, state, lr=3e-3):
    t = state["t"] + 1
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
    grads = jax.tree.map(lambda g: g * jnp.minimum(1.0, 1.0 / (norm + 1e-6)), grads)
    m = jax.tree.map(lambda a, g: 0.9 * a + 0.1 * g, state["m"], grads)
    v = jax.tree.map(lambda a, g: 0.999 * a + 0.001 * g * g, state["v"], grads)
    params = jax.tree.map(
        lambda p, a, b: p - lr * (a / (1 - 0.9**t)) / (jnp.sqrt(b / (1 - 0.999**t)) + 1e-8), params, m, v
    )
    return params, {"m": m, "v": v, "t": t}
