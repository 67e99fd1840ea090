"""Which network reads soil moisture best? Tries many of them."""
import contextlib
import functools
import json
import os
import shutil

import numpy as np
import tensorflow as tf

from space import grid


def memoize_graph(builder):
    graphs = {}

    @functools.wraps(builder)
    def cached(**settings):
        key = json.dumps(settings, sort_keys=True)
        if key not in graphs:
            graph = tf.Graph()
            with graph.as_default():
                graphs[key] = graph, builder(**settings)
        return graphs[key]

    return cached


@memoize_graph
def network(units, depth, rate):
    x = tf.placeholder(tf.float32, [None, 36], "x")
    y = tf.placeholder(tf.float32, [None, 1], "y")
    hidden = x
    for _ in range(depth):
        hidden = tf.layers.dense(hidden, units, tf.nn.relu)
    loss = tf.losses.mean_squared_error(y, tf.layers.dense(hidden, 1))
    step = tf.train.AdamOptimizer(rate).minimize(loss)
    return {"loss": loss, "step": step, "init": tf.global_variables_initializer(), "saver": tf.train.Saver()}


@contextlib.contextmanager
def restored(graph, parts, folder):
    with tf.Session(graph=graph) as session:  # finding: session-per-step
        parts["saver"].restore(session, tf.train.latest_checkpoint(folder))
        yield session


def validate(graph, parts, folder, rows):
    with restored(graph, parts, folder) as session:
        return session.run(parts["loss"], {"x:0": rows[:, :-1], "y:0": rows[:, -1:]})


def batches(rows, size, epochs):
    for _ in range(epochs):
        for index in np.array_split(np.random.permutation(len(rows)), len(rows) // size):
            yield rows[index]


def trial(settings, train, valid, folder, patience=10):
    graph, parts = network(**settings)
    best, since = float("inf"), 0
    with tf.Session(graph=graph) as session:
        session.run(parts["init"])
        for number, rows in enumerate(batches(train, 128, 200)):
            session.run(parts["step"], {"x:0": rows[:, :-1], "y:0": rows[:, -1:]})
            if number % 20:
                continue
            parts["saver"].save(session, os.path.join(folder, "soil"), number)
            loss = validate(graph, parts, folder, valid)
            best, since = (loss, 0) if loss < best else (best, since + 1)
            if since > patience:
                break
    return best


def main():
    train, valid = np.load("train.npy"), np.load("valid.npy")
    table = {}
    for settings in grid(units=[32, 64, 128], depth=[2, 3, 4], rate=[1e-3, 3e-4]):
        folder = os.path.join("trials", "-".join(map(str, settings.values())))
        os.makedirs(folder, exist_ok=True)
        table[folder] = float(trial(settings, train, valid, folder))
        shutil.rmtree(folder)
    best = min(table, key=table.get)
    print(best, table[best])


if __name__ == "__main__":
    main()
