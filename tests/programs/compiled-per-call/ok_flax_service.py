"""Embeddings over HTTP: compiled once when the service starts; each model version has its own."""
import os
from contextlib import asynccontextmanager

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from fastapi import FastAPI
from flax import serialization
from pydantic import BaseModel

VERSIONS = {"small": 64, "large": 256}
LENGTHS = (32, 128, 512)


class Encoder(nn.Module):
    width: int
    vocabulary: int = 30000

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.vocabulary, self.width)(tokens)
        mask = (tokens > 0)[..., None]
        x = x + nn.SelfAttention(4)(nn.LayerNorm()(x))
        x = x + nn.Dense(self.width)(nn.gelu(nn.Dense(4 * self.width)(nn.LayerNorm()(x))))
        return (x * mask).sum(1) / jnp.maximum(mask.sum(1), 1)


class Loaded:
    def __init__(self, name, width):
        net = Encoder(width)
        template = jax.jit(net.init)(jax.random.PRNGKey(0), jnp.zeros((1, 32), jnp.int32))
        with open(os.path.join("weights", name + ".msgpack"), "rb") as f:
            self.params = serialization.from_bytes(template, f.read())
        self.encode = jax.jit(net.apply)
        for length in LENGTHS:
            self.encode(self.params, jnp.zeros((1, length), jnp.int32)).block_until_ready()

    def __call__(self, ids):
        length = next((n for n in LENGTHS if n >= len(ids)), LENGTHS[-1])
        row = np.zeros((1, length), np.int32)
        row[0, : min(len(ids), length)] = ids[:length]
        return np.asarray(self.encode(self.params, row))[0]


class Query(BaseModel):
    ids: list[int]
    version: str = "small"


models = {}


@asynccontextmanager
async def lifespan(app):
    for name, width in VERSIONS.items():
        models[name] = Loaded(name, width)
    yield
    models.clear()


app = FastAPI(lifespan=lifespan)


@app.post("/embed")
def embed(query: Query):
    return {"embedding": models[query.version](query.ids).tolist()}
