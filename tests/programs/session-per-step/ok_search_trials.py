# requires: tensorflow==1.15.*
"""Random search over small recommenders; each trial has its own graph, the server its one session."""
import json
import random
import sys

import numpy as np
import tensorflow as tf
from flask import Flask, jsonify, request

SPACE = {"dim": [16, 32, 64], "lr": [1e-2, 3e-3, 1e-3], "reg": [0.0, 1e-5, 1e-4]}


def build(n_users, n_items, dim, lr, reg):
    users = tf.placeholder(tf.int32, [None], "users")
    items = tf.placeholder(tf.int32, [None], "items")
    ratings = tf.placeholder(tf.float32, [None], "ratings")
    p = tf.get_variable("p", [n_users, dim], initializer=tf.random_normal_initializer(stddev=0.05))
    q = tf.get_variable("q", [n_items, dim], initializer=tf.random_normal_initializer(stddev=0.05))
    pu, qi = tf.gather(p, users), tf.gather(q, items)
    score = tf.reduce_sum(pu * qi, axis=1, name="score")
    loss = tf.reduce_mean(tf.square(score - ratings)) + reg * (tf.nn.l2_loss(pu) + tf.nn.l2_loss(qi))
    train = tf.train.AdamOptimizer(lr).minimize(loss)
    return users, items, ratings, loss, train


def run_trial(params, data, epochs=10, batch=4096):
    with tf.Graph().as_default():
        users, items, ratings, loss, train = build(data["n_users"], data["n_items"], **params)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(epochs):
                order = np.random.permutation(len(data["train"]))
                for start in range(0, len(order), batch):
                    rows = data["train"][order[start : start + batch]]
                    sess.run(train, {users: rows[:, 0], items: rows[:, 1], ratings: rows[:, 2]})
            rows = data["valid"]
            score = sess.run(loss, {users: rows[:, 0], items: rows[:, 1], ratings: rows[:, 2]})
            saver.save(sess, "trials/%s" % "-".join(str(v) for v in params.values()))
    return float(score)


def search(data, n=30):
    best = None
    for _ in range(n):
        params = {k: random.choice(v) for k, v in SPACE.items()}
        score = run_trial(params, data)
        print(json.dumps({"params": params, "loss": score}))
        if best is None or score < best[0]:
            best = (score, params)
    return best


def create_app(prefix):
    app = Flask(__name__)
    graph = tf.Graph()
    with graph.as_default():
        saver = tf.train.import_meta_graph(prefix + ".meta")
    sess = tf.Session(graph=graph)
    saver.restore(sess, prefix)

    @app.route("/score", methods=["POST"])
    def score():
        body = request.get_json()
        out = sess.run("score:0", {"users:0": body["users"], "items:0": body["items"]})
        return jsonify(out.tolist())

    return app


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        create_app(sys.argv[2]).run(port=5000)
    else:
        raw = np.load(sys.argv[2])
        data = {k: raw[k] for k in raw.files}
        print(search(data))
