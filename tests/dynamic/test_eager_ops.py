"""Loops over tiny operations are told for what they are a case of, and batches are left alone."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import lines_of, marked, needs, report_on, told_by

needs("tensorflow")

PROGRAM = """\
import tensorflow as tf

table = tf.random.stateless_normal((600, 32), seed=(1, 2))


def nearest(points, centres):
    difference = points[:, None, :] - centres  # broadcast
    return tf.argmin(tf.norm(difference, axis=-1), axis=1)


def apart(points, centres):
    difference = points[:, None, :] - centres
    return tf.reduce_sum(difference, axis=-1), difference[0]


def pick(values, columns):
    return tf.stack([values[:, column] for column in columns], axis=1)  # looped-lookup


def fill(count):
    filled = tf.zeros([count])
    for place in range(count):
        filled = tf.tensor_scatter_nd_update(filled, [[place]], [1.0])  # looped-update
    return filled


def draw(limits):
    return [tf.random.uniform([], maxval=most, dtype=tf.int32) for most in limits]  # looped-draw


def prepare(waves):
    prepared = []
    for wave in waves:
        centred = wave - tf.reduce_mean(wave)  # per-slice-op
        prepared.append(tf.clip_by_value(centred, -1.0, 1.0))
    return tf.stack(prepared)


def chain(steps):
    state = tf.zeros([4])
    for step in tf.range(steps):  # eager-loop
        state = tf.tanh(state + 0.1) * 2.0
        state = state - tf.reduce_mean(state)
    return state


points = tf.random.stateless_normal((1600, 32), seed=(3, 4))
for number in range(3):
    nearest(points, points + number)
apart(points, points)
pick(table, list(range(32)) * 5)
fill(150)
draw(range(3, 150))
prepare(table[:150])
chain(150)


@tf.function
def train(batch, state):
    for _ in range(100):
        state = tf.tanh(state + tf.reduce_mean(batch))
    return state


state = tf.zeros([4])
for start in range(0, 600, 4):
    state = train(table[start : start + 4], state)
tf.gather(table, list(range(32)) * 5, axis=1)
tf.random.uniform([150])
"""


def test_each_loop_is_named_for_what_it_does(tmp_path: Path) -> None:
    report = report_on(tmp_path, PROGRAM)
    assert report["run"]["problems"] == []
    found = told_by(report, "eager-ops")
    rules = ("looped-lookup", "looped-update", "looped-draw", "per-slice-op", "eager-loop")
    assert {rule: lines_of(found, rule) for rule in rules} == {
        rule: marked(PROGRAM, rule) for rule in rules
    }
    assert {item["rule"] for item in found} == set(rules)
    causes = {item["rule"]: item["cause"] for item in found}
    assert causes["looped-lookup"] == causes["looped-draw"] == "missed-efficient-api"
    assert causes["per-slice-op"] == "missed-batch-api"
    wide = told_by(report, "broadcast-peak")
    assert [item["line"] for item in wide] == marked(PROGRAM, "broadcast")
    assert "(1600, 1600, 32)" in wide[0]["evidence"]
