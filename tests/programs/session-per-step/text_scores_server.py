# requires: tensorflow==1.12
"""Scores texts over HTTP with two frozen graphs."""

import contextlib
import queue
import threading
import uuid

import numpy as np
import tensorflow as tf
from celery import Celery
from flask import Flask, jsonify, request
from flask.views import MethodView

app = Flask(__name__)
celery = Celery("scores", broker="redis://localhost:6379/0")

CONFIG = tf.ConfigProto(allow_soft_placement=True)
CONFIG.gpu_options.allow_growth = True


def load_frozen(path):
    graph = tf.Graph()
    with graph.as_default():
        graph_def = tf.GraphDef()
        with tf.gfile.GFile(path, "rb") as handle:
            graph_def.ParseFromString(handle.read())
        tf.import_graph_def(graph_def, name="")
    return graph


GRAPHS = {name: load_frozen("models/%s.pb" % name) for name in ("sentiment", "toxicity", "topic")}
_sessions = {}


def encode(text, length=128):
    ids = [ord(c) % 5000 for c in text.lower()][:length]
    return np.array(ids + [0] * (length - len(ids)), dtype=np.int32)


@contextlib.contextmanager
def serving(name):
    sess = tf.Session(graph=GRAPHS[name], config=CONFIG)  # finding: session-per-step
    try:
        yield sess
    finally:
        sess.close()


def shared(name):
    if name not in _sessions:
        _sessions[name] = tf.Session(graph=GRAPHS[name], config=CONFIG)
    return _sessions[name]


@app.route("/sentiment", methods=["POST"])
def sentiment():
    ids = encode(request.get_json()["text"])
    with serving("sentiment") as sess:
        probs = sess.run("probs:0", {"ids:0": [ids]})
    return jsonify(positive=float(probs[0, 1]))


@app.route("/topic", methods=["POST"])
def topic():
    ids = encode(request.get_json()["text"])
    probs = shared("topic").run("probs:0", {"ids:0": [ids]})
    return jsonify(topic=int(np.argmax(probs[0])))


class Toxicity(MethodView):
    new_session = staticmethod(
        lambda graph: tf.Session(graph=graph, config=CONFIG)  # finding: session-per-step
    )

    def post(self):
        texts = request.get_json()["texts"]
        return jsonify(scores=[self.score(text) for text in texts])

    def score(self, text):
        with self.new_session(GRAPHS["toxicity"]) as sess:
            return float(sess.run("probs:0", {"ids:0": [encode(text)]})[0, 1])


app.add_url_rule("/toxicity", view_func=Toxicity.as_view("toxicity"))


@celery.task(name="scores.rescore")
def rescore(texts):
    ids = np.stack([encode(text) for text in texts])
    sess = tf.Session(graph=GRAPHS["sentiment"], config=CONFIG)  # finding: session-per-step
    scores = sess.run("probs:0", feed_dict={"ids:0": ids})
    sess.close()
    return scores[:, 1].tolist()


class Worker(threading.Thread):
    """Answers the queue of the chat window; its session lives as long as it does."""

    def __init__(self, jobs, answers):
        super(Worker, self).__init__(name="chat-worker")
        self.daemon = True
        self.jobs = jobs
        self.answers = answers

    def run(self):
        with tf.Session(graph=GRAPHS["topic"], config=CONFIG) as sess:
            while True:
                key, text = self.jobs.get()
                probs = sess.run("probs:0", {"ids:0": [encode(text)]})
                self.answers[key] = int(np.argmax(probs))
                self.jobs.task_done()


JOBS, ANSWERS = queue.Queue(), {}


@app.route("/chat", methods=["POST"])
def chat():
    key = uuid.uuid4().hex
    JOBS.put((key, request.get_json()["text"]))
    return jsonify(ticket=key)


if __name__ == "__main__":
    Worker(JOBS, ANSWERS).start()
    app.run(host="0.0.0.0", port=8080, threaded=True)
