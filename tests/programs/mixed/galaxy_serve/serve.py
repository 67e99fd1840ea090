"""Serves a galaxy classifier, and scores whole surveys at night."""
import io

import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request
from PIL import Image

app = Flask(__name__)
CLASSES = ("spiral", "elliptical", "merger")


def newest():
    return tf.keras.models.load_model("galaxies.h5", compile=False)


MODEL = newest()


def prepare(data):
    picture = Image.open(io.BytesIO(data)).convert("RGB").resize((96, 96))
    return np.asarray(picture, "float32")[None] / 255.0


@app.route("/classify", methods=["POST"])
def classify():
    scores = MODEL.predict(prepare(request.get_data()))[0]  # finding: predict-per-item
    return jsonify(kind=CLASSES[int(scores.argmax())])


@app.route("/explain", methods=["POST"])
def explain():
    model = newest()  # finding: model-per-turn
    x = tf.Variable(prepare(request.get_data()))
    with tf.GradientTape() as tape:
        best = tf.reduce_max(model(x))
    return jsonify(tape.gradient(best, x).numpy().tolist())


@app.route("/health")
def health():
    return jsonify(ok=bool(np.isfinite(MODEL(np.zeros((1, 96, 96, 3), "float32"))).all()))


def survey(folder):
    tiles = np.load(f"{folder}/tiles.npy", mmap_mode="r")
    kinds = MODEL.predict(tiles, batch_size=512).argmax(1)
    counts = np.zeros(3, dtype=int)
    for kind in kinds:
        counts[kind] += 1  # finding: looped-update
    return dict(zip(CLASSES, counts))


def halos(folder, limit):
    """Light around each galaxy, from its outer ring."""
    light = np.load(f"{folder}/light.npy")
    ring = np.hypot(*np.mgrid[-48:48, -48:48]) > 40
    return np.array([np.sum(tile[ring]) for tile in light]) > limit  # finding: per-slice-op


if __name__ == "__main__":
    app.run()
