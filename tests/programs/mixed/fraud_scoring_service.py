"""Card-fraud scores over HTTP.  The model was exported years ago with TF1 and never ported."""
import contextlib
import functools
import logging
import time
import zlib

import numpy as np
import tensorflow.compat.v1 as tf
from flask import Flask, jsonify, request

tf.disable_eager_execution()
app = Flask(__name__)
LOG = logging.getLogger("fraud")
EXPORT = "/models/fraud/1617"
RULES = "/models/rules.pb"
WIDTH = 94


@contextlib.contextmanager
def timed(what):
    t0 = time.perf_counter()
    yield
    LOG.info("%s %.1f ms", what, 1e3 * (time.perf_counter() - t0))


class FrozenRules:
    """Small rule graph: one session, made when the worker starts."""

    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            gd = tf.GraphDef()
            with tf.gfile.GFile(path, "rb") as fh:
                gd.ParseFromString(fh.read())
            self.x, self.y = tf.import_graph_def(gd, return_elements=["x:0", "hit:0"])
        self.sess = tf.Session(graph=self.graph)

    def hits(self, rows):
        return self.sess.run(self.y, {self.x: rows})


@functools.lru_cache(maxsize=1)
def rules():
    return FrozenRules(RULES)


def vectorise(tx):
    v = np.zeros(WIDTH, np.float32)
    v[0] = np.log1p(tx["amount"])
    v[1] = tx["hour"] / 24.0
    v[2 + zlib.crc32(tx["mcc"].encode()) % 64] = 1.0
    v[66 + zlib.crc32(tx["country"].encode()) % 28] = 1.0
    return v


def score(rows):
    graph = tf.Graph()
    with tf.Session(graph=graph) as sess:  # finding: session-per-step
        meta = tf.saved_model.load(sess, ["serve"], EXPORT)
        sig = meta.signature_def["serving_default"]
        x = sig.inputs["features"].name
        y = sig.outputs["prob"].name
        return sess.run(y, {x: rows})


@app.route("/score", methods=["POST"])
def score_route():
    txs = request.get_json()["transactions"]
    rows = np.stack([vectorise(t) for t in txs])
    with timed("score"):
        prob = score(rows)[:, 0]
    blocked = rules().hits(rows)
    return jsonify([{"id": t["id"], "p": float(p), "rule": bool(b)} for t, p, b in zip(txs, prob, blocked)])


@app.route("/healthz")
def health():
    return "ok"


def check_export():
    """Run at deploy: does the export load at all?"""
    with tf.Session(graph=tf.Graph()) as sess:
        tf.saved_model.load(sess, ["serve"], EXPORT)
        return len(sess.graph.get_operations())


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    LOG.info("export has %d ops", check_export())
    app.run(port=8080)
