"""Steps that wait for a tf.data pipeline are found, in loops and in `fit`, at the slow stage."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import trace_of
from tests.dynamic.watched import diagnoses, marked, needs

from deepperf.dynamic.frameworks.pipeline_waits import IN_LOOP, WATCHED
from deepperf.dynamic.recording.trace import Observation
from deepperf.dynamic.signals.dataset_wait import diagnose

needs("tensorflow")

SETUP = """\
import keras
import numpy as np
import tensorflow as tf

rows = np.random.default_rng(0).normal(size=(512, 64)).astype("float32")
targets = rows[:, :1]


def build(width):
    layers = [keras.layers.Input((64,)), keras.layers.Dense(width), keras.layers.Dense(1)]
    model = keras.Sequential(layers)
    model.compile("sgd", "mse")
    return model


def heavy(row, target):
    return tf.linalg.expm(tf.tensordot(row, row, 0) / 100.0)[0], target


def light(row, target):
    return row * 2.0, target


once = tf.data.Dataset.from_tensor_slices((rows, targets))
samples = once.repeat()
"""

STAGE = (
    SETUP
    + """

mapped = samples.map(light).map(heavy, num_parallel_calls=1)  # slow
build(8).fit(mapped.batch(32), steps_per_epoch=250, verbose=0)
"""
)

PYTHON = (
    SETUP
    + """

class Words(keras.utils.PyDataset):
    def __len__(self):
        return 100000

    def __getitem__(self, number):
        found = []
        for row in range(32):
            found.append([len(word) for word in ("some words " * 2000).split()][:64])  # slow
        return np.array(found, "float32"), targets[:32]


build(8).fit(Words(), steps_per_epoch=400, verbose=0)
"""
)

LOOP = (
    SETUP
    + """

model = build(8)
optimizer = keras.optimizers.SGD(0.01)


@tf.function
def step(batch, wanted):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(batch) - wanted) ** 2)
    weights = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))


mapped = once.map(heavy, num_parallel_calls=1)  # stage
for epoch in range(12):
    for batch, wanted in mapped.batch(32):
        step(batch, wanted)
"""
)

HIDDEN = (
    SETUP
    + """

model = build(8192)
mapped = samples.batch(2048, drop_remainder=True).map(light).prefetch(2)
model.fit(mapped, steps_per_epoch=40, verbose=0)
for batch, wanted in mapped.take(40):
    model.train_on_batch(batch, wanted)
total = 0.0
for batch, wanted in samples.map(heavy).batch(32).take(30):
    total += float(batch[0, 0])
"""
)


@pytest.mark.watched
@pytest.mark.parametrize("program", [STAGE, PYTHON], ids=["stage", "python"])
def test_what_is_slow_in_the_input_of_fit_is_named(tmp_path: Path, program: str) -> None:
    (found,) = diagnoses(tmp_path, program, "dataset-wait")
    assert [found["line"]] == marked(program, "slow")
    assert found["share"] > 0.1


def test_a_loop_that_waits_is_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, LOOP, "dataset-wait")
    assert [item["line"] for item in found] == marked(LOOP, "stage")
    assert found[0]["cause"] == "inefficient-data-preprocessing"
    assert found[0]["message"].endswith("again in every epoch")


def test_input_that_is_ready_in_time_is_no_finding(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, HIDDEN, "dataset-wait") == []


def test_a_line_that_only_asks_is_not_said_to_make_the_input() -> None:
    path = "/train.py"
    asks = Observation(IN_LOOP, path, 30, "train", count=300, detail={"first": 1, "last": 100})
    seen = {"turns": 9, "waited": 0.9, "python": 0.0, "executed": 1.0, "own": 0.8}
    made = seen | {"slowest": "Map", "made": [path, 4, "read"]}
    unknown = Observation(WATCHED, path, 30, "train", count=1, seconds=1.0, detail=seen)
    known = Observation(WATCHED, path, 30, "train", count=1, seconds=1.0, detail=made)
    said = [
        [(item.line, item.message) for item in diagnose(trace)]
        for trace in (
            trace_of(Path(path), observations=(asks, unknown)),
            trace_of(Path(path), observations=(asks, known)),
        )
    ]
    assert said == [
        [(30, "training steps wait for their input")],
        [(4, "training steps wait for their input, which is produced here")],
    ]
