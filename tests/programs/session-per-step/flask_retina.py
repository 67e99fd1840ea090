# requires: tensorflow==1.15.*
"""Detection endpoint of the warehouse cameras."""
import base64
import io
import threading

import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request
from PIL import Image

app = Flask(__name__)
lock = threading.Lock()
LABELS = {1: "box", 2: "pallet", 3: "forklift", 4: "person"}

graph_def = tf.compat.v1.GraphDef()
with open("frozen_inference_graph.pb", "rb") as f:
    graph_def.ParseFromString(f.read())


def make_graph():
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    return graph


GRAPH = make_graph()
OUTPUTS = ["detection_boxes:0", "detection_scores:0", "detection_classes:0"]


def decode(payload):
    raw = base64.b64decode(payload)
    return np.asarray(Image.open(io.BytesIO(raw)).convert("RGB"))


def detect(image, threshold):
    sess = tf.compat.v1.Session(graph=GRAPH)  # finding: session-per-step
    try:
        boxes, scores, classes = sess.run(OUTPUTS, feed_dict={"image_tensor:0": image[None]})
    finally:
        sess.close()
    keep = scores[0] > threshold
    return boxes[0][keep], scores[0][keep], classes[0][keep].astype(int)


@app.route("/detect", methods=["POST"])
def handle():
    body = request.get_json()
    image = decode(body["image"])
    with lock:
        boxes, scores, classes = detect(image, float(body.get("threshold", 0.5)))
    h, w = image.shape[:2]
    found = []
    for (y0, x0, y1, x1), s, c in zip(boxes.tolist(), scores.tolist(), classes.tolist()):
        found.append({"label": LABELS.get(c, "other"), "score": s, "box": [x0 * w, y0 * h, x1 * w, y1 * h]})
    return jsonify(found)


@app.route("/labels")
def labels():
    return jsonify(LABELS)


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=8080, threaded=True)
