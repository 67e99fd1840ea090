"""Reads the fields of scanned invoices with a frozen graph."""
import contextlib
import logging
import threading

import numpy as np
import tensorflow as tf

log = logging.getLogger(__name__)
_local = threading.local()


def load_frozen(path):
    graph = tf.Graph()
    with graph.as_default():
        definition = tf.GraphDef()
        with tf.gfile.GFile(path, "rb") as stream:
            definition.ParseFromString(stream.read())
        tf.import_graph_def(definition, name="")
    return graph


@contextlib.contextmanager
def inference(graph):
    config = tf.ConfigProto(intra_op_parallelism_threads=2)
    session = tf.Session(graph=graph, config=config)
    try:
        yield session
    finally:
        session.close()


class FieldReader:
    def __init__(self, path, labels):
        self.graph = load_frozen(path)
        self.labels = labels
        self.image = self.graph.get_tensor_by_name("image:0")
        self.boxes = self.graph.get_tensor_by_name("boxes:0")
        self.classes = self.graph.get_tensor_by_name("classes:0")

    def read(self, page):
        with inference(self.graph) as session:  # finding: session-per-step
            boxes, classes = session.run([self.boxes, self.classes], {self.image: page[None]})
        return [
            (self.labels[int(kind)], box.tolist())
            for kind, box in zip(classes[0], boxes[0])
            if kind >= 0
        ]


class LanguageGuesser:
    """One session per thread, opened the first time that the thread asks."""

    def __init__(self, path):
        self.graph = load_frozen(path)

    @property
    def session(self):
        if not hasattr(_local, "session"):
            _local.session = tf.Session(graph=self.graph)
        return _local.session

    def guess(self, words):
        scores = self.session.run("scores:0", {"words:0": [words]})
        return int(np.argmax(scores))
