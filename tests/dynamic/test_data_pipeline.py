"""What is wrong with a pipeline is found at the stage's own line, however it is iterated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.dynamic.made import trace_of
from tests.dynamic.watched import diagnoses, lines_of, marked, needs

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.recording.trace import Observation
from deepperf.dynamic.signals.data_pipeline import diagnose

needs("tensorflow")

PROGRAM = """\
import time

import numpy as np
import tensorflow as tf


def slow(number):
    time.sleep(0.002)
    return np.float32(number)


def load(number):
    return tf.numpy_function(slow, [number], tf.float32)


def scale(number):
    return tf.sqrt(tf.cast(number, tf.float32)) * 2.0


def iterate(dataset):
    for _ in dataset:
        pass


numbers = tf.data.Dataset.range(60)
serial = numbers.map(load)  # serial-map
iterate(serial.batch(4))
single = numbers.shuffle(10).map(scale)  # map-before-batch
iterate(single.repeat(2).batch(4))
options = tf.data.Options()
options.autotune.enabled = False
late = numbers.batch(4).map(scale)  # missing-prefetch
iterate(late.with_options(options))

iterate(numbers.map(load, num_parallel_calls=4).batch(4))
iterate(numbers.batch(4).map(scale).prefetch(1).with_options(options))
iterate(tf.data.Dataset.from_generator(lambda: range(60), tf.float32).batch(4))
iterate(numbers.map(lambda number: number + tf.random.uniform([], 0, 9, tf.int64)).batch(4))

with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    old = tf.compat.v1.data.Dataset.range(60).map(load)  # serial-map
    following = tf.compat.v1.data.make_one_shot_iterator(old.batch(4).prefetch(1)).get_next()
    for _ in range(15):
        session.run(following)
"""

TRAINED = """\
import keras
import tensorflow as tf


def load(number):
    picture = tf.image.resize(tf.random.uniform([64, 64, 3]), [400, 400])
    row = tf.reduce_mean(picture, axis=(0, 1)) + tf.cast(number, tf.float32)
    return row, row[:1]


def shift(number):
    row = tf.fill([3], tf.cast(number, tf.float32)) + tf.random.uniform([3])
    return row, row[:1]


model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
numbers = tf.data.Dataset.range(160)
loaded = numbers.map(load)  # mapped one by one
model.fit(loaded.shuffle(8).batch(10), verbose=0)
model.fit(numbers.map(load, num_parallel_calls=4).shuffle(8).batch(10).prefetch(2), verbose=0)
model.fit(numbers.map(shift).shuffle(8).batch(10).prefetch(2), verbose=0)
"""


@pytest.mark.watched
def test_what_the_stages_of_a_short_training_take_is_told(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, TRAINED, "data-pipeline")
    assert lines_of(found, "serial-map") == marked(TRAINED, "mapped one by one")
    assert "its stage took 0." in found[0]["evidence"]


@pytest.mark.parametrize(
    ("told", "weight"),
    [
        ({"ahead": False, "serial": 0.2}, Weight.TIME),  # made when it is asked for
        ({"ahead": True, "serial": 0.97}, Weight.TIME),  # made ahead, and never in time
        ({"ahead": True, "serial": 0.5}, Weight.HINT),  # ready before it is asked for
    ],
)
def test_only_what_steps_wait_for_costs_time(told: dict[str, Any], weight: Weight) -> None:
    detail = {"kinds": ["ResizeBilinear"], "busy": 0.4, "covered": 1.0, **told}
    seen = Observation("data-pipeline serial", "train.py", 3, "load", 1, 0.0, 0, detail)
    (found,) = diagnose(trace_of(Path("train.py"), observations=(seen,)))
    assert (found.rule, found.weight) == ("serial-map", weight)


def test_stages_that_lose_are_named(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "data-pipeline")
    rules = ("serial-map", "map-before-batch", "missing-prefetch")
    assert {rule: lines_of(found, rule) for rule in rules} == {
        rule: marked(PROGRAM, rule) for rule in rules
    }
    assert len(found) == 4
    told = {item["line"]: item["evidence"] for item in found}
    for line in marked(PROGRAM, "serial-map"):
        assert told[line].startswith("the program waited ")
