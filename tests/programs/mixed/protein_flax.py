"""A language model of proteins: Flax, trained on sequences of unequal length."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from typing import NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

LETTERS = "ACDEFGHIKLMNPQRSTVWY-"
INDEX = {letter: n for n, letter in enumerate(LETTERS)}


class Settings(NamedTuple):
    width: int = 256
    depth: int = 4
    rate: float = 1e-3
    steps: int = 20_000


def read_fasta(path: str) -> list[np.ndarray]:
    proteins, current = [], ""
    with open(path) as handle:
        for line in handle:
            if line.startswith(">"):
                if current:
                    proteins.append(np.array([INDEX.get(c, 20) for c in current]))
                current = ""
            else:
                current += line.strip()
    return proteins


class Model(nn.Module):
    settings: Settings

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(21, self.settings.width)(tokens)
        for _ in range(self.settings.depth):
            h = nn.LayerNorm()(x)
            h = nn.SelfAttention(num_heads=8)(h, mask=nn.make_causal_mask(tokens))
            x = x + h
            x = x + nn.Dense(self.settings.width)(nn.gelu(nn.Dense(1024)(nn.LayerNorm()(x))))
        return nn.Dense(21)(x)


def one_at_a_time(proteins: list[np.ndarray]) -> Iterator[np.ndarray]:
    while True:
        yield random.choice(proteins)[None]


def padded(proteins: list[np.ndarray], size: int, length: int = 512) -> Iterator[np.ndarray]:
    while True:
        batch = np.full((size, length), 20)
        for row, protein in enumerate(random.sample(proteins, size)):
            part = protein[:length]
            batch[row, : len(part)] = part
        yield batch


def loss(params, apply, tokens):
    logits = apply(params, tokens[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


@functools.partial(jax.jit, static_argnames=("apply", "optimizer"))
def update(params, memory, tokens, apply, optimizer):
    value, grads = jax.value_and_grad(loss)(params, apply, tokens)
    changes, memory = optimizer.update(grads, memory)
    return optax.apply_updates(params, changes), memory, value


def train(settings: Settings, proteins: list[np.ndarray]):
    model = Model(settings)
    optimizer = optax.adam(settings.rate)
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 8), int))
    memory = optimizer.init(params)
    stream = one_at_a_time(proteins)
    for step in range(settings.steps):
        tokens = next(stream)
        params, memory, value = update(params, memory, tokens, model.apply, optimizer)  # finding: retracing
        if step % 200 == 0:
            print(step, float(value))
    return model, params


def train_padded(settings: Settings, proteins: list[np.ndarray]):
    model = Model(settings)
    optimizer = optax.adam(settings.rate)
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 8), int))
    memory = optimizer.init(params)
    for step, tokens in zip(range(settings.steps), padded(proteins, 16)):
        params, memory, value = update(params, memory, tokens, model.apply, optimizer)
    return model, params


def sample(model, params, key, length=100):
    """Letter by letter, and each time all letters from the start."""
    tokens = jnp.zeros((1, 1), int)
    for _ in range(length):  # finding: eager-loop
        key, now = jax.random.split(key)
        logits = model.apply(params, tokens)[:, -1]
        letter = jax.random.categorical(now, logits)
        tokens = jnp.concatenate([tokens, letter[:, None]], axis=1)
    return "".join(LETTERS[n] for n in np.asarray(tokens[0]))


def composition(proteins: list[np.ndarray]) -> jnp.ndarray:
    counts = jnp.zeros(21)
    for protein in proteins:
        for letter in protein:
            counts = counts.at[letter].add(1)  # finding: looped-update
    return counts / counts.sum()


def perplexity(model, params, proteins):
    """After the training, of twenty proteins that were kept aside."""
    losses = [float(loss(params, model.apply, p[None])) for p in proteins[:20]]
    return float(np.exp(np.mean(losses)))


if __name__ == "__main__":
    data = read_fasta("uniref.fasta")
    random.Random(0).shuffle(data)
    print(composition(data))
    settings = Settings()
    model, params = train(settings, data[200:])
    print(perplexity(model, params, data[:200]))
    print(sample(model, params, jax.random.PRNGKey(1)))
    train_padded(settings._replace(depth=6), data[200:])
