"""A tape that is asked output by output is told from one that has several losses."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import trace_of
from tests.dynamic.watched import diagnoses, marked, needs

from deepperf.dynamic.recording.trace import Observation
from deepperf.dynamic.signals.gradient_per_output import diagnose

PROGRAM = """\
import tensorflow as tf

weights = tf.random.stateless_normal([24, 40], [1, 2])
other = tf.Variable(tf.zeros([40]))


def rows_of(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        outputs = tf.unstack(tf.tanh(x @ weights), axis=1)
    return tf.stack([tape.gradient(output, x) for output in outputs])  # per output


for number in range(20):
    x = tf.random.stateless_normal([8, 24], [3, number])
    rows_of(x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        losses = [tf.reduce_sum(x**2), tf.reduce_sum(x @ weights + other)]
    for loss, of in zip(losses, (x, other)):
        tape.gradient(loss, of)
"""


def test_gradients_of_one_tape_for_each_output_are_found(tmp_path: Path) -> None:
    needs("tensorflow")
    found = diagnoses(tmp_path, PROGRAM, "gradient-per-output")
    assert [item["line"] for item in found] == marked(PROGRAM, "per output")
    assert found[0]["cause"] == "missed-efficient-api"


@pytest.mark.parametrize(("count", "tapes", "times"), [(400, 20, 1), (40, 20, 0), (16, 1, 0)])
def test_many_gradients_of_each_tape_are_told(count: int, tapes: int, times: int) -> None:
    path = "/train.py"
    seen = Observation("gradient-per-output", path, 9, "f", count, 4.0, 0, {"tapes": tapes})
    found = list(diagnose(trace_of(Path(path), observations=(seen,))))
    assert [item.line for item in found] == [9] * times
