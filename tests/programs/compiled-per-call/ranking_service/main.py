import tensorflow as tf
from fastapi import FastAPI, WebSocket
from pydantic import BaseModel

from ranker import load, pooled
from text import token_ids

app = FastAPI()
state = {}


class Query(BaseModel):
    text: str
    k: int = 10
    history: list[str] = []


@app.on_event("startup")
def start():
    state["ranker"] = load("/models/current")
    state["softmax"] = tf.function(tf.nn.softmax)
    for length in (8, 16, 32):
        state["ranker"].for_length(length)(token_ids("warm up", length))


@app.post("/rank")
async def rank(query: Query):
    found = state["ranker"].topk(token_ids(query.text), query.k)
    return {"documents": found.indices.numpy().tolist()}


@app.post("/similar")
async def similar(query: Query):
    found = state["ranker"].similar(token_ids(query.text))
    share = state["softmax"](found.values)
    return {"documents": found.indices.numpy().tolist(), "share": share.numpy().tolist()}


@app.post("/session")
def session(query: Query):
    ranker = state["ranker"]
    blend = tf.function(  # finding: compiled-per-call
        lambda q, h: 0.7 * q + 0.3 * tf.reduce_mean(h, axis=0, keepdims=True)
    )
    encode = ranker.for_length(32)
    history = tf.concat([encode(token_ids(t)) for t in query.history or [query.text]], axis=0)
    vector = blend(encode(token_ids(query.text)), history)
    return {"vector": pooled("max")(vector).numpy().tolist()}


@app.websocket("/suggest")
async def suggest(socket: WebSocket):
    await socket.accept()
    encode = state["ranker"].for_length(8)
    while True:
        text = await socket.receive_text()
        await socket.send_json(encode(token_ids(text, 8)).numpy().tolist())
