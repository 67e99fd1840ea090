"""Greedy decoding with a tiny GRU language model."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def init(key, vocabulary, width):
    keys = jax.random.split(key, 4)
    return {
        "embed": jax.random.normal(keys[0], (vocabulary, width)) * 0.02,
        "gates": jax.random.normal(keys[1], (2 * width, 2 * width)) * 0.02,
        "new": jax.random.normal(keys[2], (2 * width, width)) * 0.02,
        "out": jax.random.normal(keys[3], (width, vocabulary)) * 0.02,
    }


def cell(params, hidden, token):
    x = jnp.concatenate([params["embed"][token], hidden])
    update, reset = jnp.split(jax.nn.sigmoid(x @ params["gates"]), 2)
    new = jnp.tanh(jnp.concatenate([params["embed"][token], reset * hidden]) @ params["new"])
    return (1 - update) * hidden + update * new


@jax.jit
def logits_of(params, tokens):
    hidden = jnp.zeros(params["out"].shape[0])
    hidden, _ = jax.lax.scan(lambda h, t: (cell(params, h, t), None), hidden, tokens)
    return hidden @ params["out"]


@partial(jax.jit, static_argnames=("position",))
def write(buffer, token, position):
    return buffer.at[position].set(token)  # finding: looped-update


@jax.jit
def place(buffer, token, position):
    return buffer.at[position].set(token)  # finding: looped-update


def greedy_growing(params, prompt, length):
    tokens = list(prompt)
    while len(tokens) < length:
        scores = logits_of(params, jnp.array(tokens))  # finding: retracing
        tokens.append(int(scores.argmax()))
    return tokens


def greedy_static(params, prompt, length):
    buffer = jnp.zeros(length, dtype=jnp.int32)
    for i in range(len(prompt)):
        buffer = write(buffer, prompt[i], i)  # finding: retracing
    return buffer


def greedy_padded(params, prompt, length):
    buffer = jnp.zeros(length, dtype=jnp.int32)
    for i, token in enumerate(prompt):
        buffer = place(buffer, token, i)
    return logits_of(params, buffer)


def unroll(params, hidden, tokens):
    outputs = []
    for token in tokens:
        hidden = jnp.tanh(params["embed"][token] @ params["out"].T @ hidden)
        outputs.append(jax.nn.log_softmax(hidden))
    return jnp.stack(outputs)


fast_unroll = jax.jit(unroll)


def relax(potential, charge, steps=2000):
    """Jacobi's iteration, run eagerly."""
    potential = jnp.asarray(potential)
    charge = jnp.asarray(charge)
    for _ in range(steps):  # finding: eager-loop
        padded = jnp.pad(potential, 1)
        neighbours = padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2]
        potential = 0.25 * (neighbours + charge)
        potential = jnp.clip(potential, -1e3, 1e3)
    return np.asarray(potential)


if __name__ == "__main__":
    params = init(jax.random.PRNGKey(0), 500, 64)
    print(greedy_growing(params, [1, 2, 3], 200))
    print(greedy_padded(params, [1, 2, 3], 200))
    print(greedy_static(params, np.arange(100), 200))
    print(fast_unroll(params, jnp.zeros(64), jnp.arange(30)).shape)
    print(relax(np.zeros((64, 64)), np.random.rand(64, 64)).mean())
