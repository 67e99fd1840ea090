import io

import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request
from PIL import Image

app = Flask(__name__)
GRAPH_PATH = "/models/mobilenet.pb"
_session = None


def load_graph(path):
    graph = tf.Graph()
    with graph.as_default(), tf.gfile.GFile(path, "rb") as handle:
        definition = tf.GraphDef()
        definition.ParseFromString(handle.read())
        tf.import_graph_def(definition, name="")
    return graph


graph = load_graph(GRAPH_PATH)


def shared_session():
    global _session
    if _session is None:
        _session = tf.Session(graph=graph)
    return _session


def decode(payload):
    image = Image.open(io.BytesIO(payload)).convert("RGB").resize((224, 224))
    return np.asarray(image, np.float32)[None] / 255.0


def predict_with_new_session(pixels):
    with tf.Session(graph=graph) as sess:  # finding: session-per-step
        return sess.run("prob:0", {"input:0": pixels})


@app.route("/slow", methods=["POST"])
def slow():
    return jsonify(predict_with_new_session(decode(request.data)).tolist())


@app.route("/fast", methods=["POST"])
def fast():
    return jsonify(shared_session().run("prob:0", {"input:0": decode(request.data)}).tolist())


class Classifier:
    def __init__(self, path):
        self.graph = load_graph(path)
        self.session = tf.Session(graph=self.graph)

    def __call__(self, pixels):
        return self.session.run("prob:0", {"input:0": pixels})

    def embed(self, pixels):
        session = tf.Session(graph=self.graph)  # finding: session-per-step
        try:
            return session.run("pool:0", {"input:0": pixels})
        finally:
            session.close()


def index(paths):
    classifier = Classifier(GRAPH_PATH)
    vectors = {}
    for path in paths:
        with open(path, "rb") as handle:
            vectors[path] = classifier.embed(decode(handle.read()))
    return vectors


if __name__ == "__main__":
    app.run(port=8080)
