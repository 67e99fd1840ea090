"""A broadcast that needs much memory for a moment is found; results that are kept are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked

pytest.importorskip("numpy")

DISTANCES = """\
import numpy as np


def distances(rows, others):
    wide = rows[:, None, :]
    difference = ((wide - others[None]) ** 2).sum(-1)  # broadcast
    return np.sqrt(difference)


rows = np.random.default_rng(0).normal(size=(1500, 48)).astype("float32")
total = 0.0
for number in range(4):
    total += distances(rows, rows + number).mean()
print(total)
"""

KEPT = """\
import numpy as np


def distances(rows, others):
    squares = (rows**2).sum(1)[:, None] + (others**2).sum(1)[None]
    return np.sqrt(np.maximum(squares - 2.0 * rows @ others.T, 0.0))


rows = np.random.default_rng(0).normal(size=(1500, 48)).astype("float32")
total = 0.0
for number in range(40):
    total += distances(rows, rows + number).mean()
tables = []
for number in range(3):
    tables.append(rows[:1000, :, None] * rows[:1000, None, :] + np.zeros((10, 1, 1, 1), "float32"))
for number in range(3):
    total += np.random.default_rng(number).normal(size=(40, 1000, 1000)).sum()
print(total, len(tables))
"""


def test_a_broadcast_that_is_reduced_again_is_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, DISTANCES, "broadcast-peak")
    assert [item["line"] for item in found] == marked(DISTANCES, "broadcast")
    assert found[0]["weight"] == "memory"
    assert found[0]["share"] > 0.4


def test_results_that_are_kept_are_no_finding(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, KEPT, "broadcast-peak") == []
