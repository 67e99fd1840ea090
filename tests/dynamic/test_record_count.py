"""Going through a dataset for nothing but a number is told from using its elements."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

PROGRAM = """\
import tensorflow as tf

dataset = tf.data.Dataset.range(2000).map(lambda number: number * number)
count = 0
for _ in dataset:  # counts
    count += 1
again = sum(1 for element in dataset)  # counts
listed = len(list(dataset))  # counts
total = 0
for element in dataset:
    total += int(element)
for element in dataset:
    if element > 10:
        total += 1
odd = sum(1 for element in dataset if element % 2)
for _ in dataset:
    pass
for _ in range(2000):
    count += 1
kept = list(dataset)
number = len(kept)
"""
LOADED = """\
import torch
from torch.utils.data import DataLoader

loader = DataLoader(torch.arange(3000.0), batch_size=None)
steps = sum(1 for _ in loader)  # counts
seen = 0.0
for batch in loader:
    seen += float(batch)
"""


@pytest.mark.watched
@pytest.mark.parametrize(("program", "framework"), [(PROGRAM, "tensorflow"), (LOADED, "torch")])
def test_only_loops_that_count_are_told(tmp_path: Path, program: str, framework: str) -> None:
    needs(framework)
    found = diagnoses(tmp_path, program, "record-count")
    assert sorted(item["line"] for item in found) == marked(program, "counts")
    assert {item["rule"] for item in found} == {"record-count"}
