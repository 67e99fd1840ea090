"""What rules find is a note where the text shows that it costs little."""

from __future__ import annotations

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

FEW_PLACES = """
import numpy as np


def halves(images: np.ndarray):
    kept = np.zeros((40, 64))
    for i in range(40):
        kept[i] = images[2 * i]
    return kept
"""
LARGE_PARTS = """
import numpy as np


def columns(images: np.ndarray, height, width, outer, inner):
    found = np.zeros((len(images), height, width, outer, inner))
    for row in range(height):
        for column in range(width):
            found[:, row, column, :, :] = images[:, row : row + outer, column : column + inner]
    return found
"""
ONE_TURN = """
import tensorflow as tf


tf.compat.v1.disable_eager_execution()
rate = tf.Variable(0.1)
step = tf.compat.v1.train.GradientDescentOptimizer(rate).minimize(tf.Variable(1.0))


def train(falls_at, steps):
    with tf.compat.v1.Session() as session:
        number = 0
        falls = list(falls_at)
        following = falls.pop()
        while number < steps:
            if number == following:
                session.run(tf.compat.v1.assign(rate, 0.001))
                following = falls.pop()
            session.run(step)
            number += 1
"""
GIVEN_FLAGS = """
import numpy as np


def accuracy(threshold, distances: np.ndarray, same: np.ndarray):
    near = np.less(distances, threshold)
    wrong = np.logical_and(near, np.logical_not(same))
    return wrong.sum()


def curve(thresholds, distances: np.ndarray, same: np.ndarray):
    found = []
    for threshold in thresholds:
        found.append(accuracy(threshold, distances, same))
    return found
"""

ONCE_PER_EPOCH = """
import tensorflow as tf


tf.compat.v1.disable_eager_execution()
rate = tf.Variable(0.1)
step = tf.compat.v1.train.GradientDescentOptimizer(rate).minimize(tf.Variable(1.0))


def train(epochs, steps):
    with tf.compat.v1.Session() as session:
        for epoch in range(epochs):
            session.run(tf.compat.v1.assign(rate, 0.9**epoch))
            for _ in range(steps):
                session.run(step)
"""
ONCE_PER_FILE = """
import tensorflow as tf


def first_records(files):
    found = []
    for file in files:
        records = tf.compat.v1.data.make_one_shot_iterator(tf.data.TFRecordDataset(file))
        with tf.compat.v1.Session() as session:
            found.append(session.run(records.get_next()))
    return found
"""


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("looped-update", FEW_PLACES),
        ("looped-update", LARGE_PARTS),
        ("graph-growth", ONE_TURN),
        ("graph-growth", ONCE_PER_EPOCH),
        ("session-per-step", ONCE_PER_FILE),
        ("loop-invariant-op", GIVEN_FLAGS),
    ],
    ids=[
        "few places",
        "large parts",
        "one certain turn",
        "once per epoch",
        "once per file",
        "arithmetic on what is given",
    ],
)
def test_what_costs_little_is_a_note(rule: str, text: str) -> None:
    report = check_text(text, options=Options(select=(rule,), level=Level.NOTE))
    assert {(found.rule, found.level) for found in report.findings} == {(rule, Level.NOTE)}
