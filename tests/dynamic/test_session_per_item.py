"""Sessions that are asked row by row are told from those that train, or that must wait."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, lines_of, marked, needs, report_on, told_by

needs("tensorflow")

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

ready = tf.global_variables_initializer()
for row in table[:12]:
    with tf.Session() as session:  # opened
        session.run(ready)
        session.run(answer, {points: row[None]})
for number in range(12):
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.constant(number) + 1)
"""


@pytest.mark.watched
def test_rows_asked_about_one_by_one_and_sessions_opened_for_each_are_found(tmp_path: Path) -> None:
    report = report_on(tmp_path, PROGRAM)
    assert report["run"]["problems"] == []
    opened = told_by(report, "session-per-call")
    assert lines_of(opened, "session-per-step") == marked(PROGRAM, "opened")
    found = told_by(report, "session-per-item")
    sure = [item for item in found if item["weight"] == "time"]
    assert lines_of(sure, "predict-per-item") == marked(PROGRAM, "asked by row")
    assert {item["cause"] for item in sure} == {"missed-batch-api"}
    assert {item["message"] for item in sure} == {"a session run processes one row at a time"}
    hints = [item for item in found if item["weight"] == "hint"]
    assert lines_of(hints, "predict-per-item") == marked(PROGRAM, "on each other")


POINTS = """\
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x, y = tf.placeholder("float"), tf.placeholder("float")
rate = tf.placeholder_with_default(0.01, [])
slope, offset = tf.Variable(0.3), tf.Variable(0.1)
cost = tf.reduce_mean(tf.pow(x * slope + offset - y, 2))
train = tf.train.GradientDescentOptimizer(rate).minimize(cost)
inputs = np.linspace(1, 9, 300).astype("float32")
wanted = inputs * 0.25 + 0.8


def fitted(session, epochs):
    for epoch in range(epochs):
        for one, its in zip(inputs, wanted):
            session.run(train, feed_dict={x: one, y: its})  # point by point


def played(session, turns):
    point, its = 1.0, 2.0
    for _ in range(turns):
        session.run(train, {x: point, y: its})
        point, its = its, float(session.run(slope))


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    fitted(session, 8)
    played(session, 250)
    for _ in range(250):
        session.run(train, {x: inputs, y: wanted, rate: 0.001})
"""


@pytest.mark.watched
def test_steps_on_one_point_at_a_time_are_found(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, POINTS, "session-per-item")
    assert [found["line"]] == marked(POINTS, "point by point")
    assert found["cause"] == "improper-hyper-parameter"
    assert found["share"] > 0.3


EVALUATED = """\
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
points = tf.placeholder(tf.float32, [None, 300])
weights = tf.get_variable("weights", [300, 600])
answer = points @ weights
error = tf.reduce_mean(answer**2)
largest = tf.reduce_max(answer)
train = tf.train.GradientDescentOptimizer(0.1).minimize(error)
table = np.random.default_rng(0).random((9000, 300)).astype("float32")
held, few = table[:6000] + 0.0, table[:8] + 0.0


def training(session, steps):
    for step in range(steps):
        session.run(train, {points: table[step : step + 8]})
        session.run(error, {points: held})  # at each step


def epochs(session, count):
    for epoch in range(count):
        for step in range(20):
            session.run(train, {points: table[step : step + 8]})
        session.run(error, {points: few})


def whole(session, steps):
    for step in range(steps):
        session.run([train, error], {points: few})


def apart(session, steps):
    for step in range(steps):
        rows = table[step * 50 : step * 50 + 3000]
        session.run(train, {points: rows})
        now = error.eval({points: rows})  # apart
        most = session.run(largest, {points: rows})


def now_and_then(session, steps):
    for step in range(steps):
        rows = table[step : step + 300]
        session.run(train, {points: rows})
        if step % 20 == 0:
            session.run(error, {points: rows})


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    training(session, 100)
    epochs(session, 12)
    whole(session, 20)
    apart(session, 80)
    now_and_then(session, 60)
"""


@pytest.mark.watched
def test_sessions_that_evaluate_all_or_ask_again_after_each_step_are_found(tmp_path: Path) -> None:
    report = report_on(tmp_path, EVALUATED)
    assert report["run"]["problems"] == []
    (apart,) = told_by(report, "session-fetches")
    assert [apart["line"]] == marked(EVALUATED, "apart")
    assert apart["share"] > 0.1
    (found,) = told_by(report, "step-evaluation")
    assert [found["line"]] == marked(EVALUATED, "at each step")
    assert found["message"] == "`run` goes through the same data after each training step"
