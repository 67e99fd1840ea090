"""Frozen graphs and how they are run."""
import threading

import numpy as np
import tensorflow as tf


def load_graph(path):
    graph = tf.Graph()
    with graph.as_default():
        definition = tf.GraphDef()
        with tf.gfile.GFile(path, "rb") as handle:
            definition.ParseFromString(handle.read())
        tf.import_graph_def(definition, name="")
    return graph


class Detector:
    def __init__(self, path):
        self.graph = load_graph(path)
        self.image = self.graph.get_tensor_by_name("image_tensor:0")
        self.outputs = [self.graph.get_tensor_by_name(n + ":0") for n in ("boxes", "scores", "classes")]

    def detect(self, image):
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            boxes, scores, classes = sess.run(self.outputs, {self.image: image[None]})
        keep = scores[0] > 0.5
        return boxes[0][keep], classes[0][keep]


class Captioner:
    """Keeps its session for life."""

    def __init__(self, path):
        self.graph = load_graph(path)
        self.session = tf.Session(graph=self.graph)
        self.lock = threading.Lock()

    def caption(self, image):
        with self.lock:
            return self.session.run("caption:0", {"image:0": image[None]})[0].decode()

    def close(self):
        self.session.close()


class Lazy:
    def __init__(self, path):
        self.path = path
        self._session = None

    @property
    def session(self):
        if self._session is None:
            self._session = tf.Session(graph=load_graph(self.path))
        return self._session

    def embed(self, image):
        return self.session.run("embedding:0", {"image:0": np.asarray(image)[None]})


def decode_jpeg(raw):
    image = tf.image.decode_jpeg(raw, channels=3)  # finding: graph-growth
    with tf.Session() as sess:  # finding: session-per-step
        return sess.run(image)
