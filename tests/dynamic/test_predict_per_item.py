"""Models that are asked row by row are told from those that are asked in batches."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, lines_of, marked

pytest.importorskip("keras")

PROGRAM = """\
import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(2)])
rows = np.random.default_rng(0).random((480, 6)).astype("float32")
for row in rows[:20]:
    model.predict(row[None], verbose=0)  # predict-per-item
for number in range(20):
    model(rows[number : number + 1])  # predict-per-item

answers = model.predict(rows, verbose=0)
for start in range(0, 480, 24):
    model(rows[start : start + 24])
table = tf.data.Dataset.from_tensor_slices(rows).batch(16)
for _ in range(20):
    model.predict(table, steps=1, verbose=0)  # predict-per-item
model.predict(table, verbose=0)
state = rows[:1]
for _ in range(20):
    answer = model(state)  # on each other
    state = np.tile(np.asarray(answer), 3)
"""


def test_rows_that_are_asked_about_one_by_one_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "predict-per-item")
    sure = [item for item in found if item["weight"] == "time"]
    assert lines_of(sure, "predict-per-item") == marked(PROGRAM, "predict-per-item")
    assert {item["cause"] for item in sure} == {"missed-batch-api"}
    assert sure[0]["message"] == "`predict` is asked about one row at a time"
    assert sure[0]["evidence"].startswith("20 calls took ")
    hints = [item for item in found if item["weight"] == "hint"]
    assert lines_of(hints, "predict-per-item") == marked(PROGRAM, "on each other")
