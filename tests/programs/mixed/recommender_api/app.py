from typing import List

import numpy as np
import tensorflow as tf
from fastapi import FastAPI
from pydantic import BaseModel

from store import Catalog, Lazy, fresh, ranker

app = FastAPI()
catalog = Catalog("shop.db")
shared = tf.keras.models.load_model("rankers/shared")


class Basket(BaseModel):
    user: int
    items: List[int]


@app.get("/score/{user}")
def score(user: int):
    row = catalog.features(user)
    return {"score": float(shared.predict(row[np.newaxis])[0, 0])}  # finding: predict-per-item


@app.get("/quick/{user}")
def quick(user: int):
    row = tf.constant(catalog.features(user)[None])
    return {"score": float(shared(row, training=False)[0, 0])}


@app.get("/versions/{version}/{user}")
def versioned(version: str, user: int):
    model = fresh(version)  # finding: model-per-turn
    return {"score": float(model(catalog.features(user)[None])[0, 0])}


@app.get("/cached/{version}/{user}")
def cached(version: str, user: int):
    return {"score": float(ranker(version)(catalog.features(user)[None])[0, 0])}


@app.get("/lazy/{user}")
def lazy(user: int):
    return {"score": float(Lazy.model()(catalog.features(user)[None])[0, 0])}


@app.post("/rank")
def rank(basket: Basket):
    scores = []
    user = catalog.features(basket.user)
    for item in basket.items:
        pair = np.concatenate([user, [item]])
        scores.append(shared.predict(pair.reshape(1, -1))[0, 0])  # finding: predict-per-item
    return {"order": np.argsort(scores)[::-1].tolist()}


@app.post("/rank/fast")
def rank_fast(basket: Basket):
    user = catalog.features(basket.user)
    pairs = np.array([np.append(user, item) for item in basket.items])
    scores = shared.predict(pairs, batch_size=1024)[:, 0]
    return {"order": np.argsort(scores)[::-1].tolist()}


@app.post("/similar")
def similar(basket: Basket):
    @tf.function  # finding: compiled-per-call
    def distance(a, b):
        return tf.norm(tf.nn.l2_normalize(a, -1) - tf.nn.l2_normalize(b, -1), axis=-1)

    user = catalog.features(basket.user)
    others = catalog.vectors(basket.items)
    return {"distances": distance(user, others).numpy().tolist()}


@app.on_event("startup")
def warm():
    shared.predict(np.zeros((1, 32), np.float32))
