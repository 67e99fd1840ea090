"""Embedding gateway: torch models behind FastAPI, JAX reranker, TF tagger."""
import functools
import os
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
import torch
from fastapi import FastAPI
from pydantic import BaseModel
from transformers import AutoModel, AutoTokenizer

app = FastAPI()
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Texts(BaseModel):
    model: Literal["e5", "bge"] = "e5"
    texts: list[str]


HUB = {"e5": "intfloat/e5-base-v2", "bge": "BAAI/bge-base-en-v1.5"}


@functools.lru_cache(maxsize=None)
def encoder(name):
    tok = AutoTokenizer.from_pretrained(HUB[name])
    net = AutoModel.from_pretrained(HUB[name]).to(DEVICE).eval()
    return tok, torch.compile(net, dynamic=True)


def mean_pool(h, mask):
    m = mask[..., None].to(h.dtype)
    return torch.nn.functional.normalize((h * m).sum(1) / m.sum(1).clamp(min=1), dim=-1)


@torch.inference_mode()
def encode(name, texts):
    tok, net = encoder(name)
    enc = tok(texts, padding=True, truncation=True, max_length=256, return_tensors="pt").to(DEVICE)
    pool = torch.compile(mean_pool, dynamic=True)
    return pool(net(**enc).last_hidden_state, enc["attention_mask"]).float().cpu().numpy()


def maxsim(q, docs):
    return jnp.einsum("qd,nkd->nqk", q, docs).max(-1).sum(-1)


def rank(q, docs, k):
    return jax.lax.top_k(jax.jit(maxsim)(q, docs), k)


@functools.cache
def topk_fn(k):
    @jax.jit
    def fn(q, docs):
        return jax.lax.top_k(maxsim(q, docs), k)

    return fn


class Tagger:
    def __init__(self, path):
        self.model = tf.saved_model.load(path)
        self._fn = None

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def tags(x):
            return tf.argmax(self.model(x), -1)

        self.tags = tags

    def scores(self, texts):
        if self._fn is None:
            self._fn = tf.function(lambda x: tf.nn.softmax(self.model(x)), reduce_retracing=True)
        return self._fn(tf.constant(texts)).numpy()


_tagger = None


def tagger():
    global _tagger
    if _tagger is None:
        _tagger = Tagger(os.environ["TAGGER"])
    return _tagger


@app.post("/embed")
def embed(req: Texts):
    return {"vectors": encode(req.model, req.texts).tolist()}


@app.post("/rerank")
def rerank(req: Texts, k: int = 10):
    v = encode(req.model, req.texts)
    docs = np.broadcast_to(v[1:, None], (len(v) - 1, 1, v.shape[1]))
    score, idx = rank(v[:1], docs, min(k, len(docs))) if k < 50 else topk_fn(k)(v[:1], docs)
    return {"score": np.asarray(score).tolist(), "index": np.asarray(idx).tolist()}


@app.post("/tag")
def tag(req: Texts):
    t = tagger()
    return {"tags": t.tags(tf.constant(req.texts)).numpy().tolist(), "p": t.scores(req.texts).tolist()}


def warm_up():
    for build in (lambda: encoder("e5"), lambda: encoder("bge"), lambda: topk_fn(64)):
        build()


if __name__ == "__main__":
    import uvicorn

    warm_up()
    uvicorn.run(app, port=8100)
