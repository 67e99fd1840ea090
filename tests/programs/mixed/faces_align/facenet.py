import os

import numpy as np
import tensorflow as tf
from scipy import misc


def load_model(model, session):
    meta = [name for name in os.listdir(model) if name.endswith(".meta")][0]
    saver = tf.train.import_meta_graph(os.path.join(model, meta))
    saver.restore(session, os.path.join(model, meta[:-5]))


def prewhiten(x):
    std = np.maximum(np.std(x), 1.0 / np.sqrt(x.size))
    return (x - np.mean(x)) / std


def load_images(paths, size):
    images = np.zeros((len(paths), size, size, 3))
    for i, path in enumerate(paths):
        images[i] = prewhiten(misc.imresize(misc.imread(path), (size, size)))
    return images


def embed(paths, model, size=160):
    """The embeddings of some faces."""
    with tf.Graph().as_default():
        with tf.Session() as sess:  # finding: session-per-step
            load_model(model, sess)
            graph = tf.get_default_graph()
            feed = {
                graph.get_tensor_by_name("input:0"): load_images(paths, size),
                graph.get_tensor_by_name("phase_train:0"): False,
            }
            return sess.run(graph.get_tensor_by_name("embeddings:0"), feed_dict=feed)


class Embedder(object):
    """Keeps the network between calls."""

    _instance = None

    def __init__(self, model):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.session = tf.Session()
            load_model(model, self.session)

    @classmethod
    def shared(cls, model):
        if cls._instance is None:
            cls._instance = cls(model)
        return cls._instance

    def __call__(self, images):
        get = self.graph.get_tensor_by_name
        return self.session.run(get("embeddings:0"), {get("input:0"): images, get("phase_train:0"): False})
