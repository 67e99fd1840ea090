import argparse
import base64
import functools
import io

import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request

from app.models import Captioner, Detector, Lazy, decode_jpeg

app = Flask(__name__)


@functools.lru_cache(maxsize=None)
def lazy():
    return Lazy("/models/embed.pb")


@functools.lru_cache(maxsize=1)
def toxicity_session():
    session = tf.Session(graph=tf.Graph())
    with session.graph.as_default():
        tf.saved_model.loader.load(session, ["serve"], "/models/toxicity")
    return session


detector = Detector("/models/detector.pb")
captioner = Captioner("/models/caption.pb")


def image_of(payload):
    return decode_jpeg(base64.b64decode(payload["image"]))


@app.route("/detect", methods=["POST"])
def detect():
    boxes, classes = detector.detect(image_of(request.get_json()))
    return jsonify(boxes=boxes.tolist(), classes=classes.tolist())


@app.route("/caption", methods=["POST"])
def caption():
    return jsonify(text=captioner.caption(image_of(request.get_json())))


@app.route("/embed", methods=["POST"])
def embed():
    return jsonify(vector=lazy().embed(image_of(request.get_json())).tolist())


@app.route("/toxic", methods=["POST"])
def toxic():
    text = request.get_json()["text"]
    score = toxicity_session().run("score:0", {"text:0": [text]})
    return jsonify(score=float(score[0]))


@app.route("/sentiment", methods=["POST"])
def sentiment():
    text = request.get_json()["text"]
    graph = tf.Graph()
    with tf.Session(graph=graph) as sess:  # finding: session-per-step
        tf.saved_model.loader.load(sess, ["serve"], "/models/sentiment")
        score = sess.run("score:0", {"text:0": [text]})
    return jsonify(score=float(score[0]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8080)
    args = parser.parse_args()
    with tf.Session() as warm:
        print(warm.list_devices())
    app.run(port=args.port, threaded=True)


if __name__ == "__main__":
    main()
