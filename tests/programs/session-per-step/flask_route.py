# requires: tensorflow==1.15.0
import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request

app = Flask(__name__)

graph = tf.Graph()
with graph.as_default():
    features = tf.placeholder(tf.float32, [None, 12])
    risk = tf.sigmoid(tf.layers.dense(features, 1))
    saver = tf.train.Saver()


@app.route("/health")
def health():
    return "ok"


@app.route("/risk", methods=["POST"])
def score():
    rows = np.array(request.get_json()["rows"], dtype=np.float32)
    with tf.Session(graph=graph) as sess:  # finding: session-per-step
        saver.restore(sess, "risk/model.ckpt")
        values = sess.run(risk, {features: rows})
    return jsonify(values.ravel().tolist())


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=5000)
