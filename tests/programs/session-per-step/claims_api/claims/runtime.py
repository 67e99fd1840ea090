"""Everything that touches TensorFlow is in this module."""
from contextlib import contextmanager

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1


def load_graph(export_dir):
    graph = tf1.Graph()
    with graph.as_default():
        with tf1.Session(graph=graph) as sess:
            tf1.saved_model.loader.load(sess, ["serve"], export_dir)
            frozen = tf1.graph_util.convert_variables_to_constants(
                sess, graph.as_graph_def(), ["output"]
            )
    inference = tf1.Graph()
    with inference.as_default():
        tf1.import_graph_def(frozen, name="")
    return inference


@contextmanager
def open_session(graph, threads):
    config = tf1.ConfigProto(
        intra_op_parallelism_threads=threads,
        inter_op_parallelism_threads=1,
        device_count={"GPU": 0},
    )
    sess = tf1.Session(graph=graph, config=config)  # finding: session-per-step
    try:
        yield sess
    finally:
        sess.close()


def pad(rows, max_len):
    out = np.zeros((len(rows), max_len), dtype=np.int32)
    for i, row in enumerate(rows):
        row = row[:max_len]
        out[i, : len(row)] = row
    return out


class Scorer:
    def __init__(self, settings, threads):
        self.settings = settings
        self.threads = threads
        self.graph = load_graph(settings.export_dir)

    def score(self, rows):
        tokens = pad(rows, self.settings.max_len)
        with open_session(self.graph, self.threads) as sess:
            out = sess.run(self.settings.output_name, {self.settings.input_name: tokens})
        return out.reshape(-1).tolist()
