# requires: tensorflow==1.15.*
"""Explains predictions of a skin-lesion classifier: a thread works through a queue of requests."""

import io
import logging
import queue
import threading
import uuid

import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request, send_file
from PIL import Image

log = logging.getLogger(__name__)
app = Flask(__name__)
SIZE = 299
CLASSES = ["nevus", "melanoma", "keratosis", "carcinoma"]


class Explainer(threading.Thread):
    def __init__(self, model_path, samples=25, noise=0.15):
        super(Explainer, self).__init__(daemon=True)
        self.jobs = queue.Queue()
        self.done = {}
        self.samples = samples
        self.noise = noise
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.session = tf.Session()
            tf.saved_model.loader.load(self.session, ["serve"], model_path)
            self.images = self.graph.get_tensor_by_name("images:0")
            self.logits = self.graph.get_tensor_by_name("logits:0")
            self.scores = tf.nn.softmax(self.logits)

    def submit(self, image):
        key = uuid.uuid4().hex
        self.jobs.put((key, image))
        return key

    def run(self):
        with self.graph.as_default():
            while True:
                key, image = self.jobs.get()
                try:
                    self.done[key] = self.explain(image)
                except tf.errors.OpError:
                    log.exception("no explanation for %s", key)

    def explain(self, image):
        scores = self.session.run(self.scores, {self.images: image[None]})[0]
        label = int(np.argmax(scores))
        return {
            "label": CLASSES[label],
            "score": float(scores[label]),
            "map": self.smooth_grad(image, label),
        }

    def smooth_grad(self, image, label):
        """Mean gradient of the label's logit over noisy copies of the picture."""
        gradients = tf.gradients(self.logits[:, label], self.images)[0]  # finding: graph-growth
        spread = self.noise * (image.max() - image.min())
        total = np.zeros_like(image)
        for _ in range(self.samples):
            noisy = image + np.random.normal(0, spread, image.shape)
            total += self.session.run(gradients, {self.images: noisy[None]})[0]
        heat = np.abs(total).max(axis=-1)
        return heat / (heat.max() + 1e-8)


explainer = Explainer("/models/lesions/3")


@app.route("/explain", methods=["POST"])
def explain():
    picture = Image.open(request.files["image"]).convert("RGB").resize((SIZE, SIZE))
    return jsonify(id=explainer.submit(np.asarray(picture, np.float32) / 127.5 - 1))


@app.route("/explain/<key>")
def result(key):
    found = explainer.done.get(key)
    if found is None:
        return jsonify(error="not ready"), 404
    return jsonify(label=found["label"], score=found["score"])


@app.route("/explain/<key>/map.png")
def heat_map(key):
    heat = (explainer.done[key]["map"] * 255).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(heat).save(buffer, "PNG")
    buffer.seek(0)
    return send_file(buffer, mimetype="image/png")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    explainer.start()
    app.run(host="0.0.0.0", port=8080)
