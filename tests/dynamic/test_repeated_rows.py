"""Rows that pass a shared part of a model many times are told from rows that come once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("keras")

PROGRAM = """\
import keras
import numpy as np

tower = keras.Sequential(
    [keras.layers.Input((80,)), keras.layers.Dense(300), keras.layers.Dense(8)]
)
one, other = keras.Input((80,)), keras.Input((80,))
both = keras.layers.Concatenate()([tower(one), tower(other)])
twins = keras.Model([one, other], keras.layers.Dense(1)(both))
first, second = keras.Input((80,)), keras.Input((80,))
mixed = keras.layers.Concatenate()([first, second])
single = keras.Model([first, second], keras.layers.Dense(1)(mixed))

things = np.random.default_rng(2).random((60, 80)).astype("float32")
rows, columns = np.mgrid[:60, :60].reshape(2, -1)
twins.predict([things[rows], things[columns]], verbose=0)  # again
single.predict([things[rows], things[columns]], verbose=0)
many = np.random.default_rng(3).random((3600, 80)).astype("float32")
twins.predict([many, many[::-1]], verbose=0)
twins.predict([things[rows], many], verbose=0)
"""


@pytest.mark.watched
def test_only_a_shared_part_that_sees_rows_again_is_told(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, PROGRAM, "repeated-rows")
    assert [found["line"]] == marked(PROGRAM, "again")
    assert found["cause"] == "inefficient-model-structure"
    assert "each about 60 times" in found["evidence"]
