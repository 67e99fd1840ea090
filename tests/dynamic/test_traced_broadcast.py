"""A traced broadcast that is reduced again is found; what is needed as it is, or small, is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("tensorflow")

PROGRAM = """\
import tensorflow as tf


@tf.function
def nearest(rows, centres):
    differences = rows[:, tf.newaxis, :] - centres[tf.newaxis, :, :]  # broadcast
    return tf.argmin(tf.reduce_sum(tf.square(differences), axis=-1), axis=1)


@tf.function
def by_product(rows, centres):
    products = tf.matmul(rows, centres, transpose_b=True)
    squares = tf.reduce_sum(rows**2, axis=1)[:, tf.newaxis] + tf.reduce_sum(centres**2, axis=1)
    return tf.argmin(squares - 2.0 * products, axis=1)


@tf.function
def table(rows, centres):
    return rows[:, tf.newaxis, :] * centres[tf.newaxis, :, :]


@tf.function(jit_compile=True)
def fused(rows, centres):
    differences = rows[:, tf.newaxis, :] - centres[tf.newaxis, :, :]
    return tf.argmin(tf.reduce_sum(tf.square(differences), axis=-1), axis=1)


@tf.function
def few(rows, centres):
    differences = rows[:, tf.newaxis, :] - centres[tf.newaxis, :, :]
    return tf.argmin(tf.reduce_sum(tf.square(differences), axis=-1), axis=1)


rows, centres = tf.random.normal((6000, 32)), tf.random.normal((500, 32))
for _ in range(2):
    nearest(rows, centres)
    by_product(rows, centres)
    table(rows[:1000], centres)
    few(rows[:100], centres)
fused(rows[:1000], centres)
"""


@pytest.mark.watched
def test_a_traced_broadcast_that_is_reduced_is_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "traced-broadcast")
    assert [item["line"] for item in found] == marked(PROGRAM, "broadcast")
    assert found[0]["weight"] == "memory"
    assert found[0]["share"] > 0.2
    assert found[0]["evidence"].startswith(
        "(6000, 1, 32) and (1, 500, 32) make (6000, 500, 32), 384 MB"
    )
