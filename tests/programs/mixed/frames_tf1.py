# requires: tensorflow==1.15.0
"""Sentences and pictures scored for a table, by models that a colleague froze."""
import contextlib
import multiprocessing
import sys

import numpy as np
import pandas as pd
import tensorflow as tf
import tensorflow_hub as hub


@contextlib.contextmanager
def running(graph):
    with graph.as_default():
        with tf.compat.v1.Session(graph=graph) as sess:  # finding: session-per-step
            yield sess


class Scorer:
    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            definition = tf.compat.v1.GraphDef()
            definition.ParseFromString(open(path, "rb").read())
            tf.import_graph_def(definition, name="")

    def __call__(self, row):
        with running(self.graph) as sess:
            return float(sess.run("score:0", {"row:0": [row]}))

    def all(self, rows):
        with tf.compat.v1.Session(graph=self.graph) as sess:
            return [float(sess.run("score:0", {"row:0": block})[0]) for block in np.array_split(rows, 20)]


class Sentences:
    def __init__(self, url):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.texts = tf.compat.v1.placeholder(tf.string, [None])
            self.vectors = hub.Module(url)(self.texts)
            self.init = [tf.compat.v1.global_variables_initializer(), tf.compat.v1.tables_initializer()]

    def vector(self, text):
        sess = tf.compat.v1.Session(graph=self.graph)  # finding: session-per-step
        sess.run(self.init)
        vector = sess.run(self.vectors, {self.texts: [text]})[0]
        sess.close()
        return vector

    def matrix(self, texts):
        sess = tf.compat.v1.Session(graph=self.graph)
        sess.run(self.init)
        return sess.run(self.vectors, {self.texts: list(texts)})


def worker(path, rows):
    return Scorer(path).all(rows)


def main(table, model, url):
    frame = pd.read_csv(table)
    scorer = Scorer(model)
    rows = frame.filter(like="x").to_numpy()
    frame["score"] = [scorer(row) for row in rows]
    sentences = Sentences(url)
    frame["vector"] = frame["text"].apply(sentences.vector)
    print(sentences.matrix(frame["text"]).shape, scorer.all(rows)[:3])
    with multiprocessing.Pool(4) as pool:
        parts = pool.starmap(worker, [(model, part) for part in np.array_split(rows, 4)])
    print(len(parts), frame.head())


if __name__ == "__main__":
    main(*sys.argv[1:])
