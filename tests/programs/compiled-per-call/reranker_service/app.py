import logging
import os
import time

import jax
import jax.numpy as jnp
import numpy as np
from fastapi import FastAPI, HTTPException, Request

from .model import Reranker, Similarity
from .schemas import Ranked, RerankRequest, SimilarRequest

log = logging.getLogger("reranker")
app = FastAPI(title="reranker")
MAX_DOCS = 128
reranker = Reranker(os.environ.get("MODEL", "/models/reranker.pkl"))


@jax.jit
def normalise(x):
    return x / (jnp.linalg.norm(x, axis=-1, keepdims=True) + 1e-8)


def pad(embeddings):
    docs = np.zeros((MAX_DOCS, len(embeddings[0])), np.float32)
    docs[: len(embeddings)] = embeddings
    return docs, np.arange(MAX_DOCS) < len(embeddings)


@app.on_event("startup")
def load_table():
    app.state.ids = np.load(os.environ.get("IDS", "/models/ids.npy"))
    app.state.table = np.load(os.environ.get("TABLE", "/models/table.npy"))
    app.state.row = {name: i for i, name in enumerate(app.state.ids)}


@app.middleware("http")
async def timing(request: Request, call_next):
    start = time.perf_counter()
    response = await call_next(request)
    log.info("%s took %.1f ms", request.url.path, 1000 * (time.perf_counter() - start))
    return response


@app.post("/rerank", response_model=list[Ranked])
def rerank(body: RerankRequest):
    if len(body.documents) > MAX_DOCS:
        raise HTTPException(413, "too many documents")
    docs, mask = pad([d.embedding for d in body.documents])
    scores = reranker(normalise(jnp.asarray(body.query)), normalise(docs), mask, body.temperature)
    ranked = sorted(zip(body.documents, np.asarray(scores)), key=lambda pair: -pair[1])
    return [Ranked(id=d.id, score=float(s)) for d, s in ranked[: body.top_k]]


@app.post("/similar")
def similar(body: SimilarRequest):
    rows = [app.state.row[i] for i in body.ids if i in app.state.row]
    index = Similarity(app.state.table)
    return {"similar": [list(app.state.ids[np.asarray(r)]) for r in index.top(rows, 10)]}


@app.get("/health")
def health():
    return {"status": "ok"}
