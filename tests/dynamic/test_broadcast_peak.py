"""A broadcast that needs much memory for a moment is found; results that are kept are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

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

NAMED = """\
import numpy as np


def nearest(rows, others):
    difference = rows[:, None, :] - others[None]  # broadcast
    squares = difference**2
    return squares.sum(-1).argmin(axis=1)


rows = np.random.default_rng(0).normal(size=(1500, 64)).astype("float32")
total = 0.0
for number in range(4):
    total += nearest(rows, rows + number).mean()
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


def test_a_broadcast_with_a_name_is_found_where_only_reductions_read_it(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, NAMED, "broadcast-peak")
    assert [item["line"] for item in found] == marked(NAMED, "broadcast")
    assert found[0]["share"] > 0.3


def test_results_that_are_kept_are_no_finding(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, KEPT, "broadcast-peak") == []


COLUMN = """\
import torch
from torch import nn

torch.manual_seed(0)
rows, wanted = torch.rand(1500, 8), torch.rand(1500)


def trained(loss_of, steps):
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for step in range(steps):
        loss = loss_of(net(rows))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def spread(answer):
    error = answer - wanted  # spread
    return torch.where(error.abs() < 1.0, error**2, error.abs()).mean()


def paired(answer):
    error = answer.squeeze(1) - wanted
    return torch.where(error.abs() < 1.0, error**2, error.abs()).mean()


def distances(answer):
    squares = answer.pow(2).sum(1, keepdim=True) + wanted.pow(2)
    ordered = (answer - answer.T).abs() * (wanted.unsqueeze(1) - wanted).abs()
    return (squares + ordered).mean()


def nearest(points, centres):
    difference = points.unsqueeze(1) - centres  # reduced
    return difference.square().sum(dim=-1).min(dim=1).indices


points = torch.rand(1500, 32)
for number in range(3):
    nearest(points, points + number)
trained(spread, 30)
trained(paired, 100)
trained(distances, 10)
"""


def test_a_column_of_answers_that_meets_a_row_is_found_and_what_pytorch_reduces(
    tmp_path: Path,
) -> None:
    needs("torch")
    found = diagnoses(tmp_path, COLUMN, "broadcast-peak")
    (column,) = [item for item in found if item["weight"] == "time"]
    assert [column["line"]] == marked(COLUMN, "spread")
    assert "`output.squeeze(1)`" in column["remedy"]
    (reduced,) = [item for item in found if item["weight"] == "memory"]
    assert [reduced["line"]] == marked(COLUMN, "reduced")
