"""Loops that were unrolled into graphs are found; blocks of layers and loops of graphs are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, lines_of, marked, needs

needs("tensorflow")

PROGRAM = """\
import tensorflow as tf

waves = tf.random.stateless_normal((128, 16), seed=(1, 2))


@tf.function
def prepare(waves):
    prepared = []
    for number in range(128):
        wave = waves[number]
        centred = wave - tf.reduce_mean(wave)  # per-slice-op
        prepared.append(tf.tanh(centred))
    return tf.stack(prepared)


@tf.function
def chain(state):
    for _ in range(200):  # unrolled
        state = tf.tanh(state) + tf.reduce_mean(state)
    return state


@tf.function
def looped(state):
    for _ in tf.range(200):
        state = tf.tanh(state) + tf.reduce_mean(state)
    return state


@tf.function
def deep(values, weights):
    for weight in weights:
        values = tf.nn.relu(tf.matmul(values, weight) + 1.0)
    return values


class Recurrent(tf.Module):
    def __init__(self):
        self.inner = tf.Variable(tf.ones((16, 16)))
        self.outer = tf.Variable(tf.ones((8, 16)))

    def cell(self, step, state):
        gate = tf.sigmoid(tf.matmul(state, self.inner) + tf.matmul(step, self.outer))
        return gate * tf.tanh(state)

    def __call__(self, steps):
        state = tf.zeros((4, 16))
        for number in range(64):  # unrolled
            state = self.cell(steps[:, number], state)
        return state


learned = tf.keras.layers.GRUCell(16)
recurrent = Recurrent()


@tf.function
def summed(steps):
    return tf.reduce_sum(recurrent(steps))


@tf.function
def called(steps):
    state = tf.zeros((4, 16))
    for number in range(64):  # unrolled
        state, _ = learned(steps[:, number], state)
    return state


for _ in range(4):
    summed(tf.ones((4, 64, 8)))
    called(tf.ones((4, 64, 8)))
    prepare(waves)
    chain(waves[0])
    looped(waves[0])
    deep(waves, [tf.ones((16, 16))] * 24)
"""


@pytest.mark.watched
def test_the_loop_that_was_unrolled_is_named(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "unrolled-graph")
    assert lines_of(found, "per-slice-op") == marked(PROGRAM, "per-slice-op")
    assert lines_of(found, "") == marked(PROGRAM, "unrolled")
    assert len(found) == 4
    causes = {item["rule"]: item["cause"] for item in found}
    assert causes == {"per-slice-op": "missed-batch-api", "": "graph-confusion"}
