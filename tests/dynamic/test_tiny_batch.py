"""Training a small model on single rows is found, in `fit` and in loops."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("tensorflow")

SETUP = """\
import keras
import numpy as np
import tensorflow as tf

rows = np.zeros((600, 16), "float32")
targets = rows[:, :1]


def build():
    layers = [keras.layers.Input((16,)), keras.layers.Dense(8), keras.layers.Dense(1)]
    model = keras.Sequential(layers)
    model.compile("sgd", "mse")
    return model


model = build()
samples = tf.data.Dataset.from_tensor_slices((rows, targets))
"""

TINY = (
    SETUP
    + """\
model.fit(rows, targets, batch_size=1, verbose=0)  # tiny
model.fit(samples.batch(2).prefetch(1), epochs=2, verbose=0)  # tiny
for number in range(300):
    model.train_on_batch(rows[number : number + 1], targets[:1])  # tiny
"""
)

ROOMY = (
    SETUP
    + """\
model.fit(rows, targets, epochs=12, verbose=0)
model.fit(samples.batch(16).repeat(), steps_per_epoch=300, verbose=0)
model.fit(rows[:40], targets[:40], batch_size=1, verbose=0)
layers = [keras.layers.Input((128, 128, 3)), keras.layers.Conv2D(64, 7), keras.layers.Flatten()]
large = keras.Sequential([*layers[:2], keras.layers.GlobalAveragePooling2D()])
large.compile("sgd", "mse")
images = np.zeros((4, 128, 128, 3), "float32")
data = tf.data.Dataset.from_tensors((images[:1], np.zeros((1, 64), "float32"))).repeat()
large.fit(data.unbatch().batch(1), steps_per_epoch=20, verbose=0)
"""
)


@pytest.mark.watched
def test_training_on_single_rows_is_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, TINY, "tiny-batch")
    assert sorted(item["line"] for item in found) == marked(TINY, "tiny")
    assert {item["cause"] for item in found} == {"improper-hyper-parameter"}
    assert all("is overhead" in item["evidence"] for item in found)


@pytest.mark.watched
def test_usual_batches_and_large_models_are_no_finding(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, ROOMY, "tiny-batch") == []
