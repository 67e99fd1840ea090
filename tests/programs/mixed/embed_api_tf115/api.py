import json
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import tensorflow as tf
import tensorflow_hub as hub


class Encoder:
    _shared = None

    def __init__(self, url):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.text = tf.placeholder(tf.string, [None])
            self.out = hub.Module(url)(self.text)
            self.init = [tf.global_variables_initializer(), tf.tables_initializer()]

    @classmethod
    def shared(cls):
        if cls._shared is None:
            cls._shared = cls("https://tfhub.dev/google/universal-sentence-encoder/2")
        return cls._shared

    def encode(self, texts):
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            sess.run(self.init)
            return sess.run(self.out, {self.text: texts})


class Keeper:
    def __init__(self, encoder):
        self.encoder = encoder
        self.session = tf.Session(graph=encoder.graph)
        self.session.run(encoder.init)

    def __call__(self, texts):
        return self.session.run(self.encoder.out, {self.encoder.text: texts})


def cosine(a, b):
    x = tf.nn.l2_normalize(a, -1) * tf.nn.l2_normalize(b, -1)  # finding: graph-growth
    with tf.Session() as sess:  # finding: session-per-step
        return sess.run(tf.reduce_sum(x, -1))  # finding: graph-growth


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        encoder = Encoder.shared()
        if self.path == "/encode":
            answer = encoder.encode(body["texts"]).tolist()
        else:
            a, b = encoder.encode(body["texts"][:2])
            answer = float(cosine(a, b))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())


def offline(path, keeper):
    with open(path) as f:
        vectors = [keeper([line])[0] for line in f]
    np.save("vectors.npy", vectors)


if __name__ == "__main__":
    import sys

    if len(sys.argv) > 1:
        offline(sys.argv[1], Keeper(Encoder.shared()))
    else:
        HTTPServer(("", 8000), Handler).serve_forever()
