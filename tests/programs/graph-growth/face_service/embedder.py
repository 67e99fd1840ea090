"""Embeds faces with a frozen network; used by the web service and the indexer."""
import threading

import numpy as np
import tensorflow as tf


def preprocess(image, size=160):
    image = tf.image.resize_images(tf.cast(image, tf.float32), [size, size])  # finding: graph-growth
    return tf.image.per_image_standardization(image)  # finding: graph-growth


class Embedder:
    def __init__(self, path, batch=32):
        self.graph = tf.Graph()
        self.lock = threading.Lock()
        self.batch = batch
        with self.graph.as_default():
            definition = tf.GraphDef()
            with tf.gfile.GFile(path, "rb") as f:
                definition.ParseFromString(f.read())
            tf.import_graph_def(definition, name="")
            self.session = tf.Session(graph=self.graph)
            self.images = self.graph.get_tensor_by_name("input:0")
            self.phase = self.graph.get_tensor_by_name("phase_train:0")
            self.embeddings = self.graph.get_tensor_by_name("embeddings:0")

    def _prepare(self, image):
        with self.graph.as_default():
            return self.session.run(preprocess(image))

    def embed(self, images):
        prepared = [self._prepare(image) for image in images]
        rows = []
        for start in range(0, len(prepared), self.batch):
            feed = {self.images: np.stack(prepared[start:start + self.batch]), self.phase: False}
            with self.lock:
                rows.append(self.session.run(self.embeddings, feed))
        return np.concatenate(rows)
