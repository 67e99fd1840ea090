"""Models that are asked row by row are told from those that are asked in batches."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, lines_of, marked, needs

needs("keras")

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
for number in range(20):
    model(tf.expand_dims(tf.constant(rows[number]), 0))  # predict-per-item
for number in range(20):
    hidden = rows[:1].copy()
    hidden[0, number % 6] = 0.0
    model(hidden)  # predict-per-item


class Scorer:
    def score(self, row):
        return float(model(tf.constant(row)[None])[0, 0])  # predict-per-item


print(max(Scorer().score(row) for row in rows[:20]))


def readings():
    for number in range(20):
        yield tf.constant(rows[number])


for reading in readings():
    model(reading[None])  # on each other
written = np.zeros((21, 6), "float32")
for number in range(20):
    answer = model(tf.constant(written[number])[None])  # on each other
    written[number + 1] = np.tile(np.asarray(answer)[0], 3)
state = rows[:1]
for _ in range(20):
    answer = model(state)  # on each other
    state = np.tile(np.asarray(answer), 3)
"""

FEW = """\
import keras
import numpy as np

rows = np.random.default_rng(0).random((40, 6)).astype("float32")


def judge(model, name):
    return name, model.predict(rows[name][None], verbose=0)[0]  # a few in a row


class Watched(keras.callbacks.Callback):
    def __init__(self, row):
        super().__init__()
        self.row = row
        self.seen = []

    def on_epoch_end(self, epoch, logs=None):
        self.seen.append(self.model.predict(self.row, verbose=0))


def build():
    model = keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    return model


model = build()
watch = Watched(rows[:1])
model.fit(rows, rows[:, :2], batch_size=4, epochs=20, verbose=0, callbacks=[watch])
orders = {judge(model, name)[0]: name for name in range(9)}
for other in [build() for _ in range(9)]:
    other.predict(rows[:1], verbose=0)
"""


@pytest.mark.watched
def test_a_few_questions_in_a_row_are_enough_and_looks_between_epochs_are_not(
    tmp_path: Path,
) -> None:
    found = diagnoses(tmp_path, FEW, "predict-per-item")
    assert lines_of(found, "predict-per-item") == marked(FEW, "a few in a row")
    assert found[0]["evidence"].startswith("9 calls took ")


@pytest.mark.watched
def test_rows_that_are_asked_about_one_by_one_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "predict-per-item")
    sure = [item for item in found if item["weight"] == "time"]
    assert lines_of(sure, "predict-per-item") == marked(PROGRAM, "predict-per-item")
    assert {item["cause"] for item in sure} == {"missed-batch-api"}
    assert sure[0]["message"] == "`predict` is called with one row at a time"
    assert sure[0]["evidence"].startswith("20 calls took ")
    hints = [item for item in found if item["weight"] == "hint"]
    assert lines_of(hints, "predict-per-item") == marked(PROGRAM, "on each other")
