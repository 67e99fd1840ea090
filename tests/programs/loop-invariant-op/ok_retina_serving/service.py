# requires: tensorflow==2.8.*
import io
import os

import numpy as np
import tensorflow as tf
from decode import IMAGE_SIZE, Decoder
from flask import Flask, jsonify, request
from PIL import Image

app = Flask(__name__)
model = tf.saved_model.load(os.environ.get("MODEL_DIR", "export/retina/3"))
infer = model.signatures["serving_default"]
decoder = Decoder()


def prepare(blob):
    image = Image.open(io.BytesIO(blob)).convert("RGB").resize((IMAGE_SIZE, IMAGE_SIZE))
    return tf.convert_to_tensor(np.asarray(image, dtype=np.float32)[None])


@app.route("/detect", methods=["POST"])
def detect():
    image = prepare(request.files["image"].read())
    raw = infer(image)["predictions"]
    boxes, scores, classes, count = decoder(raw)
    n = int(count[0])
    return jsonify(boxes=boxes[0, :n].numpy().tolist(),
                   scores=scores[0, :n].numpy().tolist(),
                   classes=classes[0, :n].numpy().astype(int).tolist())


@app.route("/healthz")
def health():
    return "ok"


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=int(os.environ.get("PORT", 8080)))
