"""Calls of a training function on a row or two are found; larger or heavier ones are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("tensorflow")

SETUP = """\
import keras
import tensorflow as tf


def trainer(model):
    optimizer = keras.optimizers.SGD(0.001)

    @tf.function
    def step(rows, targets):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(rows, training=True) - targets) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return step


def dense():
    return keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])


def batches(count, size, *sides):
    rows = tf.random.normal((count, *sides))
    targets = tf.random.normal((count, 1))
    return tf.data.Dataset.from_tensor_slices((rows, targets)).batch(size)


"""

TINY = (
    SETUP
    + """\
step = trainer(dense())
for rows, targets in batches(4000, 2, 16):
    step(rows, targets)  # tiny
"""
)

ROOMY = (
    SETUP
    + """\
step = trainer(dense())
for rows, targets in batches(40000, 64, 16):
    step(rows, targets)

images = keras.Sequential(
    [
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.Conv2D(16, 3),
        keras.layers.GlobalMaxPooling2D(),
        keras.layers.Dense(1),
    ]
)
step = trainer(images)
for rows, targets in batches(500, 2, 40, 40, 3):
    step(rows, targets)

step = trainer(dense())
rows, targets = tf.random.normal((1, 16)), tf.random.normal((1, 1))
for _ in range(800):
    step(rows, targets)
"""
)


@pytest.mark.watched
def test_calls_on_a_row_or_two_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, TINY, "tiny-traced-steps")
    assert [item["line"] for item in found] == marked(TINY, "tiny")
    assert found[0]["message"] == "a small model is trained on 2 rows at a time"


@pytest.mark.watched
def test_calls_on_batches_on_images_or_on_all_there_is_are_not(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, ROOMY, "tiny-traced-steps") == []
