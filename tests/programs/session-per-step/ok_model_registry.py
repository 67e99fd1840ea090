# requires: tensorflow==1.15.*
"""Serves the newest version of each model from a bucket; sessions are kept per version.

A thread looks for new versions each minute; requests use whatever session is current.
"""
import logging
import os
import threading
import time

import numpy as np
import tensorflow.compat.v1 as tf
from flask import Flask, abort, jsonify, request

log = logging.getLogger("registry")
app = Flask(__name__)


class Loaded(object):
    def __init__(self, version, session, inputs, outputs):
        self.version = version
        self.session = session
        self.inputs = inputs
        self.outputs = outputs


def load_version(path, version):
    session = tf.Session(graph=tf.Graph())
    meta = tf.saved_model.loader.load(session, ["serve"], os.path.join(path, version))
    signature = meta.signature_def["serving_default"]
    inputs = {k: v.name for k, v in signature.inputs.items()}
    outputs = {k: v.name for k, v in signature.outputs.items()}
    return Loaded(version, session, inputs, outputs)


class Registry(object):
    def __init__(self, root):
        self.root = root
        self.lock = threading.Lock()
        self.current = {}

    def get(self, name):
        loaded = self.current.get(name)
        if loaded is None:
            with self.lock:
                loaded = self.current.get(name)
                if loaded is None:
                    loaded = load_version(os.path.join(self.root, name), self.newest(name))
                    self.current[name] = loaded
        return loaded

    def newest(self, name):
        return max(os.listdir(os.path.join(self.root, name)), key=int)

    def refresh(self):
        for name in list(self.current):
            version = self.newest(name)
            old = self.current[name]
            if version == old.version:
                continue
            log.info("model %s: version %s to %s", name, old.version, version)
            self.current[name] = load_version(os.path.join(self.root, name), version)
            old.session.close()

    def watch(self, seconds=60):
        while True:
            time.sleep(seconds)
            try:
                self.refresh()
            except (OSError, tf.errors.OpError):
                log.exception("refresh")


registry = Registry(os.environ.get("MODELS", "/models"))


@app.route("/v1/models/<name>:predict", methods=["POST"])
def predict(name):
    try:
        loaded = registry.get(name)
    except OSError:
        abort(404)
    rows = request.get_json()["instances"]
    feed = {loaded.inputs[k]: np.array([r[k] for r in rows]) for k in loaded.inputs}
    out = loaded.session.run(loaded.outputs, feed)
    return jsonify(predictions={k: v.tolist() for k, v in out.items()})


if __name__ == "__main__":
    threading.Thread(target=registry.watch, daemon=True).start()
    app.run(port=8501, threaded=True)
