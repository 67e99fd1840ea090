"""What `fit` is given: whole data sets as one, and epochs that are too long."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, lines_of, marked, needs

needs("tensorflow")

STEPS = """\
import keras
import numpy as np
import tensorflow as tf

rows = np.zeros((96, 4), "float32")
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
samples = tf.data.Dataset.from_tensor_slices((rows, rows[:, :1]))
batches = samples.shuffle(96).batch(24).repeat()
model.fit(batches, steps_per_epoch=len(rows), verbose=0)  # steps-as-samples
model.fit(batches, steps_per_epoch=len(rows) // 24, verbose=0)
model.fit(samples.batch(1).repeat(), steps_per_epoch=len(rows), verbose=0)
model.fit(rows, rows[:, :1], verbose=0)
"""

GENERATED = """\
import keras
import numpy as np

rows = np.zeros((96, 4), "float32")


class Table:
    def __init__(self, values):
        self.values = values

    def endless(self, size):
        while True:
            chosen = np.random.default_rng(0).integers(0, len(self.values), size)
            yield self.values[chosen], self.values[chosen, :1]


def of_module(size):
    while True:
        for start in range(0, len(rows), size):
            yield rows[start : start + size], rows[start : start + size, :1]


def of_batches(batches):
    while True:
        for batch in batches:
            yield batch, batch[:, :1]


model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
count = np.int64(len(rows))
model.fit(Table(rows).endless(24), steps_per_epoch=count, verbose=0)  # steps-as-samples
model.fit(of_module(12), steps_per_epoch=len(rows), verbose=0)  # steps-as-samples
model.fit(Table(rows).endless(24), steps_per_epoch=len(rows) // 24, verbose=0)
model.fit(Table(rows).endless(1), steps_per_epoch=len(rows), verbose=0)
many = rows.repeat(4, axis=0).reshape(96, 4, 4)
model.fit(of_batches(many), steps_per_epoch=len(many), verbose=0)
"""

WHOLE = """\
import keras
import numpy as np
import tensorflow as tf


def read(number):
    return np.full((64, 1024), number, "float32")


def train(data):
    pool = keras.layers.GlobalAveragePooling1D()
    model = keras.Sequential([keras.layers.Input((64, 1024)), pool])
    model.compile("sgd", "mse")
    model.fit(data, np.zeros((len(data), 1024), "float32"), steps_per_epoch=1, verbose=0)


gathered = np.array([read(number) for number in range(500)])  # whole-dataset-array
train(gathered)
made = np.zeros((500, 64, 1024), "float32")
train(made)
few = np.array([read(number) for number in range(20)])
train(few)
pool = keras.layers.GlobalAveragePooling1D()
model = keras.Sequential([keras.layers.Input((64, 1024)), pool])
model.compile("sgd", "mse")
targets = np.zeros((500, 1024), "float32")
model.fit(tf.constant(made), targets, steps_per_epoch=1, verbose=0)  # tensor-fed-fit
"""


@pytest.mark.watched
def test_epochs_with_as_many_steps_as_samples_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, STEPS, "steps-as-samples")
    assert lines_of(found, "steps-as-samples") == marked(STEPS, "steps-as-samples")
    assert "96 steps of 24 over 96 samples: 4 steps see them all" in found[0]["evidence"]


@pytest.mark.watched
def test_generators_are_asked_for_epochs_of_batches(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, GENERATED, "steps-as-samples")
    assert lines_of(found, "steps-as-samples") == marked(GENERATED, "steps-as-samples")
    # Which of them costs more is the machine's affair.
    evidence = {item["line"]: item["evidence"] for item in found}
    first = evidence[marked(GENERATED, "steps-as-samples")[0]]
    assert "96 steps of 24 over 96 samples: 4 steps see them all" in first


@pytest.mark.watched
def test_whole_data_sets_are_found_where_they_are_gathered(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, WHOLE, "whole-dataset")
    for rule in ("whole-dataset-array", "tensor-fed-fit"):
        assert lines_of(found, rule) == marked(WHOLE, rule)
    assert len(found) == 2
    assert {item["weight"] for item in found} == {"memory"}
