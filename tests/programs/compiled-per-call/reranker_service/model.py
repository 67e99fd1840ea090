"""The small attention scorer; its weights come from the nightly training job."""
import pickle
from functools import partial

import jax
import jax.numpy as jnp


def layer_norm(x, scale, bias, eps=1e-6):
    mean = x.mean(-1, keepdims=True)
    var = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(var + eps) * scale + bias


def attend(params, query, docs):
    q = query @ params["wq"]
    k = docs @ params["wk"]
    v = docs @ params["wv"]
    weights = jax.nn.softmax(q @ k.T / jnp.sqrt(k.shape[-1]))
    return layer_norm(docs + weights[:, None] * v, params["scale"], params["bias"])


def score(params, query, docs, mask, temperature):
    h = attend(params, query, docs)
    logits = (h @ params["head"])[:, 0] / temperature
    return jax.nn.softmax(jnp.where(mask, logits, -1e9))


class Reranker:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.params = pickle.load(f)

    def __call__(self, query, docs, mask, temperature):
        scorer = jax.jit(partial(score, self.params, temperature=temperature))  # finding: compiled-per-call
        return scorer(query, docs, mask)


class Similarity:
    """Cosine similarity of everything with everything."""

    def __init__(self, table):
        self.table = jnp.asarray(table)
        self._nearest = jax.jit(self.nearest)  # finding: compiled-per-call

    def nearest(self, rows):
        unit = self.table / jnp.linalg.norm(self.table, axis=1, keepdims=True)
        return jnp.argsort(-(unit[rows] @ unit.T), axis=1)

    def top(self, rows, k):
        return self._nearest(jnp.asarray(rows))[:, 1 : k + 1]
