# requires: tensorflow==1.15.*
"""Scores lines from stdin with several threads, a session for each (the old build crashed when shared)."""
import argparse
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tensorflow.compat.v1 as tf

_local = threading.local()


class Settings(object):
    graph_path = None
    max_len = 50


def load_graph(path):
    graph = tf.Graph()
    with graph.as_default():
        definition = tf.GraphDef()
        with tf.gfile.GFile(path, "rb") as f:
            definition.ParseFromString(f.read())
        tf.import_graph_def(definition, name="")
    return graph


def session():
    if not hasattr(_local, "session"):
        _local.session = tf.Session(graph=load_graph(Settings.graph_path))
    return _local.session


def encode(text, vocab):
    ids = [vocab.get(w, 1) for w in text.split()][: Settings.max_len]
    return ids + [0] * (Settings.max_len - len(ids))


def score(batch, vocab):
    ids = np.array([encode(line["text"], vocab) for line in batch])
    probs = session().run("probs:0", {"ids:0": ids})
    return [dict(line, prob=float(p)) for line, p in zip(batch, probs)]


def batches(stream, size):
    batch = []
    for line in stream:
        batch.append(json.loads(line))
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graph")
    parser.add_argument("--vocab", required=True)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--batch", type=int, default=64)
    args = parser.parse_args()
    Settings.graph_path = args.graph
    with open(args.vocab) as f:
        vocab = {w.strip(): i for i, w in enumerate(f, 2)}
    with ThreadPoolExecutor(args.threads) as pool:
        for scored in pool.map(lambda b: score(b, vocab), batches(sys.stdin, args.batch)):
            for line in scored:
                print(json.dumps(line))


if __name__ == "__main__":
    main()
