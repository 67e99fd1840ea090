"""Sessions that are asked row by row are told from those that train, or that must wait."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, lines_of, marked

pytest.importorskip("tensorflow")

PROGRAM = """\
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
points = tf.placeholder(tf.float32, [None, 3])
keep = tf.placeholder_with_default(1.0, [])
weights = tf.get_variable("weights", [3, 2])
answer = tf.nn.dropout(points @ weights, rate=1.0 - keep)
error = tf.reduce_mean(answer**2)
train = tf.train.GradientDescentOptimizer(0.1).minimize(error)
one = tf.placeholder(tf.float32, [1, 3])
of_one = one @ weights
table = np.random.default_rng(0).random((200, 3)).astype("float32")
records = [{"point": [float(number), 0.0, 1.0]} for number in range(40)]


def classify(session, row):
    return session.run(answer, {points: row[None], keep: 1.0})  # asked by row


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    answers = [classify(session, row) for row in table[:30]]
    for record in records:
        answers.append(session.run([answer, error], {points: [record["point"]]}))  # asked by row

    for row in table[:30]:
        session.run(train, {points: row[None]})
    for start in range(0, 200, 10):
        session.run(answer, {points: table[start : start + 10]})
    for row in table[:30]:
        session.run(of_one, {one: row[None]})
    state = table[:1]
    for _ in range(30):
        found = session.run(answer, {points: state})  # on each other
        state = np.tile(found, 2)[:, :3]
    for row in table[:5]:
        session.run(answer, {points: row[None]})
"""


def test_rows_that_are_asked_about_one_by_one_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "session-per-item")
    sure = [item for item in found if item["weight"] == "time"]
    assert lines_of(sure, "predict-per-item") == marked(PROGRAM, "asked by row")
    assert {item["cause"] for item in sure} == {"missed-batch-api"}
    assert {item["message"] for item in sure} == {"a session is asked about one row at a time"}
    hints = [item for item in found if item["weight"] == "hint"]
    assert lines_of(hints, "predict-per-item") == marked(PROGRAM, "on each other")
