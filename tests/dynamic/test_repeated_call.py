"""A model that is asked the same again and again is found; one that learns in between is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("tensorflow")

PROGRAM = """\
import time

import keras
import numpy as np
import tensorflow as tf

rows = np.random.default_rng(0).normal(size=(64, 16)).astype("float32")
held = tf.constant(rows)
layers = [keras.layers.Input((16,)), keras.layers.Dense(8), keras.layers.Dropout(0.5)]
model = keras.Sequential([*layers, keras.layers.Dense(1)])
model.compile("sgd", "mse")

total = 0.0
for number in range(20):
    total += float(model(held)[0, 0]) * number  # repeated
for number in range(12):
    model.train_on_batch(rows, rows[:, :1])
    total += float(model(held)[0, 0])
for number in range(20):
    total += float(model(held, training=True)[0, 0])
for number in range(20):
    total += float(model(rows + number)[0, 0])

started = time.perf_counter()
for number in range(20):
    model(rows)
print(total, time.perf_counter() - started)
"""


@pytest.mark.watched
def test_answers_that_were_known_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "repeated-call")
    told = [item["line"] for item in found if item["weight"] == "time"]
    assert told == marked(PROGRAM, "repeated")
    # A loop whose time is taken repeats on purpose: a hint at most.
    assert len(found) == 2
