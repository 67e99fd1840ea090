"""Functions that are traced too often are told from those that are traced as they should be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, lines_of, marked, needs

from deepperf.dynamic.signals.retracing import Values, varying

needs("tensorflow")

PROGRAM = """\
import numpy as np
import tensorflow as tf


@tf.function
def power(x, n):
    return x * tf.cast(n, tf.float32)


@tf.function
def total(x):
    return tf.reduce_sum(x)


@tf.function
def steady(x, n):
    return x - tf.cast(n, tf.float32)


@tf.function
def once_per_mode(x, training):
    return x * 2.0 if training else x


x = tf.ones([4])
for n in range(8):
    power(x, n)  # retracing
for n in range(8):
    total(np.ones(n + 1, np.float32))  # retracing
for n in range(8):
    scale = tf.function(lambda y: y * 2.0)
    scale(x)  # compiled-per-call

for n in range(8):
    steady(x, tf.constant(n))
    once_per_mode(x, n % 2 == 0)
experts = [tf.function(lambda y: y * 3.0) for _ in range(8)]
for expert in experts:
    expert(x)
for _ in range(8):
    dataset = tf.data.Dataset.range(3).map(lambda i: i + 1)
"""


@pytest.mark.watched
def test_the_argument_that_differs_is_named_at_the_call(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "retracing")
    assert lines_of(found, "retracing") == marked(PROGRAM, "retracing")
    assert lines_of(found, "compiled-per-call") == marked(PROGRAM, "compiled-per-call")
    assert {item["cause"] for item in found} == {"graph-confusion"}
    told = {item["line"]: item["message"] for item in found}
    by_number, by_shape = marked(PROGRAM, "retracing")
    assert told[by_number] == "`power` is traced again for each new Python number `n`"
    assert told[by_shape] == "`total` is traced again for each new shape of `x`"
    assert all(item["evidence"].startswith("8 traces, 7 of them for this") for item in found)


def test_a_rate_that_changes_in_each_epoch_is_told_and_not_its_last_shorter_batch() -> None:
    values: Values = {}
    told = Counter(
        varying(values, (("x", "shape", f"({rows}, 8)"), ("rate", "number", str(0.5**epoch))))
        for epoch in range(6)
        for rows in (32, 7)
    )
    assert told.most_common(1) == [("number rate", 9)]
    assert told["shape x"] == 2
    assert told[""] == 1
