# requires: tensorflow==1.12.*
"""A BiLSTM tagger behind HTTP: one session for the life of the process."""
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import tensorflow as tf


class Tagger(object):
    _lock = threading.Lock()
    _instance = None

    @classmethod
    def get(cls):
        with cls._lock:
            if cls._instance is None:
                cls._instance = cls("export/frozen.pb", "export/words.json")
        return cls._instance

    def __init__(self, graph_path, words_path):
        with open(words_path) as handle:
            meta = json.load(handle)
        self.words = {w: i for i, w in enumerate(meta["words"])}
        self.tags = meta["tags"]
        graph_def = tf.GraphDef()
        with tf.gfile.GFile(graph_path, "rb") as handle:
            graph_def.ParseFromString(handle.read())
        graph = tf.Graph()
        with graph.as_default():
            self.ids, self.lengths, self.best = tf.import_graph_def(
                graph_def, return_elements=["ids:0", "lengths:0", "best:0"], name=""
            )
        config = tf.ConfigProto(intra_op_parallelism_threads=2, inter_op_parallelism_threads=2)
        self.session = tf.Session(graph=graph, config=config)

    def tag(self, sentences):
        lengths = np.array([len(s) for s in sentences])
        ids = np.zeros((len(sentences), lengths.max()), "int32")
        for row, sentence in enumerate(sentences):
            ids[row, : len(sentence)] = [self.words.get(w, 1) for w in sentence]
        best = self.session.run(self.best, {self.ids: ids, self.lengths: lengths})
        return [
            [self.tags[t] for t in row[:length]] for row, length in zip(best, lengths)
        ]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(size).decode("utf8"))
        answer = Tagger.get().tag([line.split() for line in body["text"].splitlines()])
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode("utf8"))

    def log_message(self, *args):
        pass


def reload_graph(path):
    """A new model came: swap the instance; happens about once a month."""
    fresh = Tagger(path, "export/words.json")
    with Tagger._lock:
        old, Tagger._instance = Tagger._instance, fresh
    if old is not None:
        old.session.close()


if __name__ == "__main__":
    Tagger.get()
    HTTPServer(("", 8000), Handler).serve_forever()
