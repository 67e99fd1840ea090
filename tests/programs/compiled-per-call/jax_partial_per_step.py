from functools import partial

import jax
import jax.numpy as jnp


def loss_fn(params, batch, l2):
    predicted = batch["x"] @ params["w"] + params["b"]
    return jnp.mean((predicted - batch["y"]) ** 2) + l2 * jnp.sum(params["w"] ** 2)


def sgd(params, batch, l2, rate):
    gradient = jax.jit(partial(jax.grad(loss_fn), l2=l2))  # finding: compiled-per-call
    grads = gradient(params, batch)
    return jax.tree_util.tree_map(lambda p, g: p - rate * g, params, grads)


def train(batches, width, epochs=20):
    params = {"w": jnp.zeros(width), "b": 0.0}
    for epoch in range(epochs):
        for batch in batches:
            params = sgd(params, batch, l2=1e-4, rate=0.05)
    return params
