# requires: tensorflow==2.11
import asyncio
import functools
import logging
import time

import numpy as np
import tensorflow as tf
from fastapi import FastAPI
from pydantic import BaseModel

log = logging.getLogger("toxicity")
app = FastAPI()
MAXLEN = 200
STATE = {}


class Item(BaseModel):
    texts: list


def timed(fn):
    @functools.wraps(fn)
    async def wrapper(*a, **k):
        t = time.perf_counter()
        try:
            return await fn(*a, **k)
        finally:
            log.info("%s %.1fms", fn.__name__, 1e3 * (time.perf_counter() - t))
    return wrapper


def graphed(jit=False):
    def deco(fn):
        @functools.wraps(fn)
        def inner(*args):
            return tf.function(fn, jit_compile=jit)(*args)  # finding: compiled-per-call
        return inner
    return deco


def graphed_method(fn):
    return tf.function(fn, reduce_retracing=True)


class Scorer:
    LABELS = ("toxic", "insult", "threat")

    def __init__(self, path, vocab):
        self.model = tf.keras.models.load_model(path)
        self.vec = tf.keras.layers.TextVectorization(output_sequence_length=MAXLEN, vocabulary=vocab)
        for n in (1, 8, 64):
            self.probs(tf.zeros([n, MAXLEN], tf.int64))

    @graphed_method
    def probs(self, ids):
        return tf.sigmoid(self.model(ids, training=False))

    def ids(self, texts):
        return self.vec(tf.constant(texts))


@graphed()
def saliency(model, ids):
    emb_layer, rest = model.layers[0], model.layers[1:]
    e = emb_layer(ids)
    with tf.GradientTape() as tape:
        tape.watch(e)
        h = e
        for layer in rest:
            h = layer(h, training=False)
        top = tf.reduce_max(h, axis=-1)
    return tf.norm(tape.gradient(top, e), axis=-1)


@app.on_event("startup")
async def boot():
    STATE["scorer"] = Scorer("/models/toxicity", "/models/vocab.txt")


@app.post("/score")
@timed
async def score(item: Item):
    s = STATE["scorer"]
    loop = asyncio.get_running_loop()
    p = await loop.run_in_executor(None, s.probs, s.ids(item.texts))
    return [dict(zip(s.LABELS, map(float, row))) for row in p.numpy()]


@app.post("/explain")
@timed
async def explain(item: Item):
    s = STATE["scorer"]
    loop = asyncio.get_running_loop()
    w = await loop.run_in_executor(None, saliency, s.model, s.ids(item.texts))
    order = np.argsort(-w.numpy(), axis=1)[:, :5]
    return [[t.split()[i] for i in o if i < len(t.split())] for t, o in zip(item.texts, order)]
