import io
import os

import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request
from PIL import Image

from recognizer import Finder, Recognizer

app = Flask(__name__)
recognizer = Recognizer(os.environ["PLATES"])
finder = Finder(os.environ["FINDER"])


def picture_of(upload):
    return np.asarray(Image.open(io.BytesIO(upload.read())).convert("RGB"))


@app.route("/plate", methods=["POST"])
def plate():
    picture = picture_of(request.files["picture"])
    return jsonify(plate=recognizer.read(finder.box(picture)))


@app.route("/quality", methods=["POST"])
def quality():
    picture = picture_of(request.files["picture"])
    with tf.Graph().as_default():
        contrast = tf.image.total_variation(tf.constant(picture, tf.float32))
        session = tf.compat.v1.Session()  # finding: session-per-step
        value = session.run(contrast)
        session.close()
    return jsonify(quality=float(value))


@app.route("/health")
def health():
    return jsonify(version=tf.__version__)


def warm_up():
    with tf.compat.v1.Session(graph=recognizer.graph) as session:
        session.run(recognizer.codes, {recognizer.image: np.zeros((1, 32, 96, 3))})


if __name__ == "__main__":
    warm_up()
    app.run(port=int(os.environ.get("PORT", 5000)))
