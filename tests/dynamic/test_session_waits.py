"""What the runs of a session wait for their pipeline is measured, though no Python runs in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("tensorflow")

PROGRAM = """\
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def scale(number):
    rows = tf.ones([600, 600]) * tf.cast(number, tf.float32)
    return tf.reduce_sum(tf.sqrt(rows))


with tf.Graph().as_default(), v1.Session() as session:
    late = v1.data.Dataset.range(10_000).map(scale)  # waited for
    batch = v1.data.make_one_shot_iterator(late.batch(16)).get_next()
    table = v1.data.Dataset.range(10_000).map(lambda number: number * 2)  # never asked
    other = v1.data.make_one_shot_iterator(table.batch(16)).get_next()
    loss = tf.reduce_mean(batch)
    values = [session.run(loss) for _ in range(40)]
assert len(set(values)) == 40
"""


@pytest.mark.watched
def test_the_pipeline_that_runs_wait_for_is_told_by_its_time(tmp_path: Path) -> None:
    found = {
        item["line"]: item
        for item in diagnoses(tmp_path, PROGRAM, "data-pipeline")
        if item["rule"] == "map-before-batch"
    }
    (waited,) = marked(PROGRAM, "waited for")
    (never,) = marked(PROGRAM, "never asked")
    assert found[waited]["weight"] == "time"
    assert found[waited]["share"] > 0.05
    assert found[never]["weight"] == "hint"
