"""Scores yesterday's rows."""
import csv
import multiprocessing

import numpy as np
import tensorflow as tf

_STATE = {}


def start_worker(path):
    graph = tf.Graph()
    with graph.as_default():
        saver = tf.train.import_meta_graph(path + ".meta")
    _STATE["session"] = tf.Session(graph=graph)
    saver.restore(_STATE["session"], path)


def score(row):
    return _STATE["session"].run("score:0", {"row:0": [row]})[0]


def whiten(row):
    with tf.Session(graph=tf.Graph()) as sess:  # finding: session-per-step
        x = tf.constant(row)
        mean, var = tf.nn.moments(x, [0])
        return sess.run((x - mean) / tf.sqrt(var + 1e-6))


def rows(path):
    with open(path) as handle:
        for line in csv.reader(handle):
            yield whiten(np.array(line, np.float32))


def main():
    with multiprocessing.Pool(4, start_worker, ("model.ckpt",)) as pool:
        scores = pool.map(score, rows("rows.csv"), chunksize=512)
    with tf.Session() as sess:
        print(sess.run(tf.reduce_mean(tf.constant(scores))))


if __name__ == "__main__":
    main()
