import jax
import jax.numpy as jnp
import numpy as np
import optax

from physics import make_loss


def init(key, widths):
    sizes = (2,) + tuple(widths) + (1,)
    keys = jax.random.split(key, len(sizes))
    return [(jax.random.normal(k, (i, o)) / np.sqrt(i), jnp.zeros(o)) for k, i, o in zip(keys, sizes[:-1], sizes[1:])]


def net(params, z):
    for w, b in params[:-1]:
        z = jnp.tanh(z @ w + b)
    w, b = params[-1]
    return (z @ w + b)[0]


def points(rng, n):
    return np.stack([rng.uniform(0, 1, n), rng.uniform(-1, 1, n)], 1)


def compiled_update(loss, opt):
    def update(params, state, *data):
        value, grads = jax.value_and_grad(loss)(params, *data)
        changes, state = opt.update(grads, state)
        return optax.apply_updates(params, changes), state, value

    return jax.jit(update)


def train(config, seed=0):
    rng = np.random.default_rng(seed)
    params = init(jax.random.PRNGKey(seed), config["widths"])
    opt = optax.adam(config["lr"])
    state = opt.init(params)
    start = np.stack([np.zeros(200), np.linspace(-1, 1, 200)], 1)
    start_u = -np.sin(np.pi * start[:, 1])
    loss = make_loss(net, 0.01 / np.pi, config["weight"])
    for i in range(config["steps"]):
        update = compiled_update(loss, opt)  # finding: compiled-per-call
        params, state, value = update(params, state, points(rng, 4096), start, start_u)
        if not np.isfinite(float(value)):
            return float("inf")
    return float(value)
