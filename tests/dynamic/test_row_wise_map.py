"""Maps over rows are found, eager and in graphs; maps that must go row by row are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, lines_of, marked, needs

needs("tensorflow")

PROGRAM = """\
import tensorflow as tf

table = tf.random.stateless_normal((60, 8), seed=(1, 2))


def describe(row):
    return tf.stack([tf.reduce_mean(row), tf.math.reduce_std(row)])


tf.map_fn(describe, table)  # row-wise-map


@tf.function
def relations(rows):
    def row(one):
        if tf.size(one) == 0:
            return tf.zeros([60])
        return tf.map_fn(lambda other: tf.reduce_sum(one * other), rows)

    return tf.map_fn(row, rows)  # row-wise-map


relations(table)
relations(table)

tf.map_fn(describe, table[:4])
tf.map_fn(describe, table[:12])
few = table[:12]
tf.map_fn(lambda one: tf.map_fn(lambda two: tf.reduce_sum(one * two), few), few)  # nested
tf.map_fn(lambda text: tf.io.decode_raw(text, tf.uint8), tf.constant(["abcd"] * 60), tf.uint8)
tf.map_fn(lambda row: tf.gather(row, tf.where(row > 0.0))[0], table)  # by condition
tf.stack([tf.reduce_mean(table, axis=1), tf.math.reduce_std(table, axis=1)], axis=1)
"""


@pytest.mark.watched
def test_maps_of_what_takes_batches_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "row-wise-map")
    sure = [item for item in found if item["weight"] == "time"]
    nested = marked(PROGRAM, "nested")
    assert lines_of(sure, "row-wise-map") == marked(PROGRAM, "row-wise-map") + nested
    hints = [item for item in found if item["weight"] == "hint"]
    assert lines_of(hints, "row-wise-map") == marked(PROGRAM, "by condition")
    told = {item["line"]: item["evidence"] for item in found}
    eager, in_graph = marked(PROGRAM, "row-wise-map")
    assert told[eager].startswith("60 rows mapped 1x, in ")
    assert told[in_graph].startswith("a loop of the graph, 60 rows by about ")
