import threading

import numpy as np
import tensorflow as tf

_lock = threading.Lock()
_shared = None


def load_graph(path):
    graph = tf.Graph()
    with graph.as_default():
        definition = tf.GraphDef()
        with tf.gfile.GFile(path, "rb") as handle:
            definition.ParseFromString(handle.read())
        tf.import_graph_def(definition, name="")
    return graph


def shared_session():
    global _shared
    with _lock:
        if _shared is None:
            _shared = tf.Session(graph=load_graph("facenet.pb"))
    return _shared


def run_once(graph, crops):
    with tf.Session(graph=graph) as sess:  # finding: session-per-step
        return sess.run("embeddings:0", {"input:0": crops, "phase_train:0": False})


class Embedder:
    def __init__(self, path="facenet.pb"):
        self.graph = load_graph(path)
        config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))
        self.sess = tf.Session(graph=self.graph, config=config)

    def __call__(self, crops):
        return self.sess.run("embeddings:0", {"input:0": crops, "phase_train:0": False})


def whiten(image):
    std = max(image.std(), 1.0 / np.sqrt(image.size))
    return (image - image.mean()) / std
