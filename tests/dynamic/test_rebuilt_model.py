"""Models that are loaded or built in each turn are told from those that a program needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("keras")

PROGRAM = """\
import gc
import os
import tempfile

import keras

gc.disable()


def build():
    return keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(2)])  # left


def build_ours():
    return keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(2)])


def build_kept():
    return keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(2)])


with tempfile.TemporaryDirectory() as folder:
    for number in range(6):
        build().save(os.path.join(folder, f"{number}.keras"))
    for number in range(5):
        keras.models.load_model(os.path.join(folder, "0.keras"))  # loaded
    for number in range(5):
        keras.models.load_model(os.path.join(folder, f"{number}.keras"))
for _ in range(8):
    keras.backend.clear_session()
    model = build_ours()
ensemble = [build_kept() for _ in range(8)]
"""


@pytest.mark.watched
def test_models_of_each_turn_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "rebuilt-model")
    told = {item["line"]: item for item in found}
    assert sorted(told) == sorted(marked(PROGRAM, "left") + marked(PROGRAM, "loaded"))
    assert {item["rule"] for item in found} == {"model-per-turn"}
    (loaded,) = marked(PROGRAM, "loaded")
    assert told[loaded]["evidence"].startswith("5 times from one file")
    (left,) = marked(PROGRAM, "left")
    assert told[left]["evidence"].startswith("6 models; 3 of the last 3")
