"""Translates sentences; one route for each direction."""

import os

import sentencepiece
import tensorflow as tf
from flask import Flask, jsonify, request
from model import Seq2Seq

app = Flask(__name__)
app.config.from_mapping(CHECKPOINTS=os.environ.get("CHECKPOINTS", "checkpoints"), VOCAB=16000, UNITS=512)

pieces = sentencepiece.SentencePieceProcessor()
pieces.load("wmt.model")

graph = tf.Graph()
with graph.as_default():
    model = Seq2Seq(app.config["VOCAB"], app.config["UNITS"])
    saver = tf.train.Saver()

_shared = None


def shared_session():
    global _shared
    if _shared is None:
        _shared = tf.Session(graph=graph)
        with graph.as_default():
            saver.restore(_shared, tf.train.latest_checkpoint(app.config["CHECKPOINTS"]))
    return _shared


def encode(sentences):
    ids = [pieces.encode_as_ids(s) for s in sentences]
    width = max(map(len, ids))
    return [row + [0] * (width - len(row)) for row in ids], [len(row) for row in ids]


def run(session, sentences):
    rows, lengths = encode(sentences)
    out = session.run(model.output, {model.source: rows, model.lengths: lengths})
    return [pieces.decode_ids([int(t) for t in row]) for row in out]


@app.route("/translate", methods=["POST"])
def translate():
    text = request.get_json()["text"]
    with tf.Session(graph=graph) as sess:  # finding: session-per-step
        saver.restore(sess, tf.train.latest_checkpoint(app.config["CHECKPOINTS"]))
        return jsonify(translation=run(sess, [text])[0])


@app.route("/translate_many", methods=["POST"])
def translate_many():
    return jsonify(translations=run(shared_session(), request.get_json()["texts"]))


@app.route("/reload", methods=["POST"])
def reload():
    """After a new checkpoint was written, by hand."""
    global _shared
    if _shared is not None:
        _shared.close()
    _shared = None
    shared_session()
    return "ok"


@app.route("/healthz")
def health():
    return "ok"


@app.before_first_request
def warm():
    run(shared_session(), ["hello"])


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=5000)
