# requires: tensorflow==1.15.0
import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request

app = Flask(__name__)
_session = None


def get_session():
    global _session
    if _session is None:
        _session = tf.Session()
        saver = tf.train.import_meta_graph("model.ckpt.meta")
        saver.restore(_session, "model.ckpt")
    return _session


@app.route("/predict", methods=["POST"])
def predict():
    rows = np.asarray(request.json["rows"])
    scores = get_session().run("scores:0", {"rows:0": rows})
    return jsonify(scores.tolist())


if __name__ == "__main__":
    app.run(threaded=True)
