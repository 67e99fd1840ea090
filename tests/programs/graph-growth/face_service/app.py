import io
import os

import numpy as np
from flask import Flask, jsonify, request
from PIL import Image

from embedder import Embedder
from index import FaceIndex

app = Flask(__name__)
embedder = Embedder(os.environ.get("FACENET", "20180402-114759.pb"))
faces = FaceIndex.load("faces.npz")


@app.route("/identify", methods=["POST"])
def identify():
    files = request.files.getlist("face")
    images = [np.asarray(Image.open(io.BytesIO(f.read())).convert("RGB")) for f in files]
    vectors = embedder.embed(images)
    return jsonify([{"name": n, "distance": d} for n, d in faces.nearest(vectors)])


@app.route("/health")
def health():
    return "ok"


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=int(os.environ.get("PORT", 8080)), threaded=True)
