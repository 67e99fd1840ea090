# requires: tensorflow==1.15
"""Similarity of sentences over HTTP, with a background thread that ranks long lists."""
import queue
import threading

import numpy as np
import tensorflow as tf
import tensorflow_hub as hub
from flask import Flask, jsonify, request

app = Flask(__name__)
jobs = queue.Queue()
done = {}

graph = tf.Graph()
with graph.as_default():
    embed = hub.Module("https://tfhub.dev/google/universal-sentence-encoder-large/3")
    texts = tf.placeholder(tf.string, [None])
    encoded = tf.nn.l2_normalize(embed(texts), axis=1)
    session = tf.Session(graph=graph)
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])


def encode(sentences):
    return session.run(encoded, feed_dict={texts: sentences})


@app.route("/similar", methods=["POST"])
def similar():
    body = request.get_json()
    with graph.as_default():
        vectors = session.run(embed(body["sentences"]))  # finding: graph-growth
    return jsonify(np.inner(vectors, vectors).tolist())


@app.route("/similar/v2", methods=["POST"])
def similar_v2():
    vectors = encode(request.get_json()["sentences"])
    return jsonify(np.inner(vectors, vectors).tolist())


@app.route("/rank", methods=["POST"])
def rank():
    body = request.get_json()
    ticket = str(len(done) + jobs.qsize())
    jobs.put((ticket, body["query"], body["candidates"], int(body.get("k", 10))))
    return jsonify({"ticket": ticket})


@app.route("/rank/<ticket>")
def ranked(ticket):
    return jsonify(done.pop(ticket, None))


def worker():
    with graph.as_default():
        while True:
            ticket, query, candidates, k = jobs.get()
            vectors = encode([query] + candidates)
            scores = vectors[1:] @ vectors[0]
            best = tf.nn.top_k(scores, k=min(k, len(candidates)))  # finding: graph-growth
            values, indices = session.run([best.values, best.indices])
            done[ticket] = [
                {"text": candidates[i], "score": float(s)} for s, i in zip(values, indices)
            ]
            jobs.task_done()


if __name__ == "__main__":
    threading.Thread(target=worker, daemon=True).start()
    app.run(port=8000)
