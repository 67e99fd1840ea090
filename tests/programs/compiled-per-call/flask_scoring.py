# requires: tensorflow==2.15.*, flask
"""Churn scoring service.  POST /score with a list of customers."""
import logging
import os
import time

import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request

log = logging.getLogger("scoring")
MODEL_DIR = os.environ.get("MODEL_DIR", "models/churn/7")
FEATURES = ["tenure", "monthly", "total", "calls", "complaints", "age"]

app = Flask(__name__)
model = tf.keras.models.load_model(MODEL_DIR)
means = np.load(os.path.join(MODEL_DIR, "means.npy"))
scales = np.load(os.path.join(MODEL_DIR, "scales.npy"))


def to_matrix(customers):
    rows = [[float(c.get(name, 0.0)) for name in FEATURES] for c in customers]
    x = np.asarray(rows, dtype=np.float32)
    return (x - means) / scales


def predict_probabilities(x):
    # graph mode is much faster than calling the model eagerly
    forward = tf.function(lambda batch: tf.nn.sigmoid(model(batch, training=False)))  # finding: compiled-per-call
    return forward(tf.constant(x, dtype=tf.float32)).numpy()[:, 0]


def explain(x, top=3):
    x = tf.constant(x, dtype=tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        out = model(x, training=False)
    grads = tape.gradient(out, x)
    order = tf.argsort(tf.abs(grads), axis=1, direction="DESCENDING").numpy()
    return [[FEATURES[j] for j in row[:top]] for row in order]


@app.route("/health")
def health():
    return "ok"


@app.route("/score", methods=["POST"])
def score():
    started = time.time()
    payload = request.get_json(force=True)
    customers = payload.get("customers", [])
    if not customers:
        return jsonify(error="no customers"), 400
    x = to_matrix(customers)
    probs = predict_probabilities(x)
    body = {"scores": [round(float(p), 5) for p in probs]}
    if payload.get("explain"):
        body["reasons"] = explain(x)
    log.info("scored %d customers in %.1f ms", len(customers), 1000 * (time.time() - started))
    return jsonify(body)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    app.run(host="0.0.0.0", port=int(os.environ.get("PORT", 8080)))
