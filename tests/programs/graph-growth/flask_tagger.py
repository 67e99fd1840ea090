# requires: tensorflow==1.14.*, flask
"""A service that tags photos."""
import io
import logging

import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request

app = Flask(__name__)
logger = logging.getLogger("tagger")

MODEL = "export/1"
TOP = 5

graph = tf.Graph()
session = tf.Session(graph=graph)
with graph.as_default():
    meta = tf.saved_model.loader.load(session, [tf.saved_model.tag_constants.SERVING], MODEL)
signature = meta.signature_def["serving_default"]
INPUT = signature.inputs["images"].name
OUTPUT = signature.outputs["scores"].name

with open("tags.txt") as handle:
    TAGS = [line.rstrip() for line in handle]


def preprocess(data):
    with graph.as_default():
        image = tf.image.decode_image(data, channels=3)  # finding: graph-growth
        image.set_shape([None, None, 3])
        image = tf.image.resize_images(image, (224, 224))  # finding: graph-growth
        image = tf.image.per_image_standardization(image)  # finding: graph-growth
        return session.run(image)


def best(scores):
    order = np.argsort(-scores)[:TOP]
    return [{"tag": TAGS[i], "score": float(scores[i])} for i in order]


@app.route("/tags", methods=["POST"])
def tags():
    data = request.files["photo"].read()
    try:
        image = preprocess(data)
    except tf.errors.InvalidArgumentError as error:
        logger.warning("bad photo: %s", error)
        return jsonify(error="not a photo"), 400
    scores = session.run(OUTPUT, {INPUT: image[np.newaxis]})
    return jsonify(tags=best(scores[0]))


@app.route("/health")
def health():
    return "ok"


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    app.run(host="0.0.0.0", port=8080)
