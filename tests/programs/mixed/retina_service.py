# requires: tensorflow==2.15
"""A service of an eye clinic: grades photographs of retinas."""

import io
import os
import threading

import numpy as np
from flask import Flask, abort, jsonify, request
from PIL import Image
from tensorflow import keras

app = Flask(__name__)
WEIGHTS = os.environ.get("GRADER", "/srv/models/grader.keras")
QUALITY = keras.models.load_model("/srv/models/quality.keras")
GRADES = ["none", "mild", "moderate", "severe", "proliferative"]
_lock = threading.Lock()


def to_array(blob: bytes, size: int = 512) -> np.ndarray:
    picture = Image.open(io.BytesIO(blob)).convert("RGB").resize((size, size))
    return np.asarray(picture, dtype="float32") / 255.0


def sharp_enough(picture: np.ndarray) -> bool:
    return float(QUALITY(picture[None], training=False)[0, 0]) > 0.4


def grade(picture: np.ndarray) -> dict:
    model = keras.models.load_model(WEIGHTS, compile=False)  # finding: model-per-turn
    scores = model.predict(picture[None], verbose=0)[0]  # finding: predict-per-item
    return dict(zip(GRADES, scores.tolist()))


@app.route("/grade", methods=["POST"])
def grade_one():
    if "photo" not in request.files:
        abort(400)
    picture = to_array(request.files["photo"].read())
    if not sharp_enough(picture):
        return jsonify(error="blurred"), 422
    with _lock:
        return jsonify(grade(picture))


@app.route("/grade/many", methods=["POST"])
def grade_many():
    photos = request.files.getlist("photos")
    answers = []
    for photo in photos:
        picture = to_array(photo.read())
        answers.append({"name": photo.filename, **grade(picture)})
    return jsonify(answers)


@app.route("/mask", methods=["POST"])
def vessel_mask():
    picture = to_array(request.files["photo"].read(), 256)
    green = picture[..., 1]
    mask = np.zeros(green.shape, dtype=bool)
    for row in range(256):  # finding: looped-branch
        for column in range(256):
            if green[row, column] < 0.25:
                mask[row, column] = True
            else:
                mask[row, column] = green[row, column] < 0.5 * picture[row, column, 0]
    return jsonify(share=float(mask.mean()))


@app.route("/health")
def health():
    return jsonify(ok=True, parameters=QUALITY.count_params())


@app.before_request
def limit():
    if request.content_length and request.content_length > 40_000_000:
        abort(413)


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=8080)
