"""What is wrong with a pipeline is found at the stage's own line, however it is iterated."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, lines_of, marked

pytest.importorskip("tensorflow")

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
iterate(numbers.map(lambda number: number + tf.random.uniform([], 0, 9, tf.int64)).batch(4))

with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    old = tf.compat.v1.data.Dataset.range(60).map(load)  # serial-map
    following = tf.compat.v1.data.make_one_shot_iterator(old.batch(4).prefetch(1)).get_next()
    for _ in range(15):
        session.run(following)
"""


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
