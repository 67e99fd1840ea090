# requires: tensorflow==1.15
"""Toxicity scoring: Flask front, a pool of worker processes, a nightly report."""
import functools
import multiprocessing as mp
import os
import threading
import unittest

import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request

MODEL_DIR = os.environ.get("MODEL_DIR", "/models/tox/5")
app = Flask(__name__)
_lock = threading.Lock()
_local = {}


class Scorer(object):
    def __init__(self, export_dir):
        self.graph = tf.Graph()
        self.sess = tf.Session(graph=self.graph)
        with self.graph.as_default():
            meta = tf.saved_model.loader.load(self.sess, ["serve"], export_dir)
        sig = meta.signature_def["serving_default"]
        self.inp, self.out = sig.inputs["text"].name, sig.outputs["score"].name

    def __call__(self, texts):
        return self.sess.run(self.out, {self.inp: np.asarray(texts, dtype=object)})


@functools.lru_cache(maxsize=4)
def scorer(export_dir=MODEL_DIR):
    return Scorer(export_dir)


class Lazy(object):
    """Session is opened on first use, workers fork before that."""

    def __init__(self, pb):
        self.pb, self._sess = pb, None

    @property
    def session(self):
        if self._sess is None:
            graph = tf.Graph()
            with graph.as_default():
                gd = tf.GraphDef()
                with open(self.pb, "rb") as fh:
                    gd.ParseFromString(fh.read())
                tf.import_graph_def(gd, name="")
            self._sess = tf.Session(graph=graph)
        return self._sess

    def embed(self, ids):
        return self.session.run("pooled:0", {"ids:0": ids})


EMBED = Lazy("/models/embed.pb")


def get_session(name):
    with _lock:
        if name not in _local:
            _local[name] = tf.Session(graph=tf.Graph(), config=tf.ConfigProto(intra_op_parallelism_threads=4))
        return _local[name]


@app.route("/score", methods=["POST"])
def score():
    texts = request.get_json(force=True)["texts"]
    return jsonify(scores=scorer()(texts).tolist())


@app.route("/embed", methods=["POST"])
def embed():
    return jsonify(EMBED.embed(np.asarray(request.get_json(force=True)["ids"])).tolist())


@app.route("/devices")
def devices():
    return jsonify([d.name for d in get_session("probe").list_devices()])


def _worker(rank, queue, results):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(rank % 4)
    with tf.Session(graph=tf.Graph()) as sess:
        meta = tf.saved_model.loader.load(sess, ["serve"], MODEL_DIR)
        sig = meta.signature_def["serving_default"]
        for chunk in iter(queue.get, None):
            results.put(sess.run(sig.outputs["score"].name, {sig.inputs["text"].name: chunk}))


def nightly(path, workers=8):
    queue, results = mp.Queue(64), mp.Queue()
    pool = []
    for rank in range(workers):
        p = mp.Process(target=_worker, args=(rank, queue, results))
        p.start()
        pool.append(p)
    lines = open(path, encoding="utf8").read().splitlines()
    chunks = [lines[i : i + 512] for i in range(0, len(lines), 512)]
    for c in chunks:
        queue.put(c)
    for _ in pool:
        queue.put(None)
    return np.concatenate([results.get() for _ in chunks])


class ScorerTest(unittest.TestCase):
    def test_ops(self):
        for text, want in (("you", 3), ("idiot", 5), ("", 0)):
            with tf.Graph().as_default(), tf.Session() as sess:
                self.assertEqual(sess.run(tf.strings.length(text)), want)


if __name__ == "__main__":
    app.run("0.0.0.0", 8080, threaded=True)
