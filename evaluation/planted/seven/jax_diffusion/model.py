import jax
import jax.numpy as jnp

WIDTH, LAYERS, STEPS = 160, 3, 60
BETAS = jnp.linspace(1e-4, 0.05, STEPS)
ALPHA_BAR = jnp.cumprod(1.0 - BETAS)


def init(key):
    params = {"in": jax.random.normal(key, (3, WIDTH)) * 0.5}
    for i in range(LAYERS):
        key, a, b = jax.random.split(key, 3)
        params[f"l{i}"] = {"w": jax.random.normal(a, (WIDTH, WIDTH)) / WIDTH ** 0.5,
                           "mix": jax.random.normal(b, (WIDTH, WIDTH)) / WIDTH ** 0.5,
                           "b": jnp.zeros(WIDTH)}
    params["out"] = jnp.zeros((WIDTH, 2))
    return params


def denoise(params, x, t):
    """x: (T, 2), t: scalar step."""
    h = jnp.concatenate([x, jnp.full((x.shape[0], 1), t / STEPS)], -1) @ params["in"]
    for i in range(LAYERS):
        p = params[f"l{i}"]
        h = h + jax.nn.gelu(h @ p["w"] + h.mean(0) @ p["mix"] + p["b"])
    return h @ params["out"]


def loss_fn(params, batch, key, weight):
    kt, kn = jax.random.split(key)
    t = jax.random.randint(kt, (batch.shape[0],), 0, STEPS)
    noise = jax.random.normal(kn, batch.shape)
    ab = ALPHA_BAR[t][:, None, None]
    noisy = jnp.sqrt(ab) * batch + jnp.sqrt(1 - ab) * noise
    pred = jax.vmap(denoise, (None, 0, 0))(params, noisy, t)
    return weight * jnp.mean((pred - noise) ** 2)
