"""Loops over tiny PyTorch operations are told by what they do, and loops that train are not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, lines_of, marked, needs, report_on

needs("torch")

PROGRAM = """\
import torch


def overlaps(boxes, others):
    found = torch.zeros(len(boxes), len(others))
    for i in range(len(boxes)):
        for j in range(len(others)):
            low = torch.maximum(boxes[i], others[j])  # slices
            found[i, j] = (boxes[i] - low).abs().sum()
    return found


def total(levels):
    found = 0.0
    for level in levels:
        found += level.item()  # scalars
    return found


def lengths_to_mask(lengths, most):
    mask = torch.zeros(len(lengths), most)
    for row, length in enumerate(lengths):
        mask[row, :length] = 1.0  # updates
    return mask


def counts(answers, wanted):
    found = torch.zeros(5, 5)
    for answer, want in zip(answers, wanted):
        found[want.long(), answer.long()] += 1  # counted
    return found


def columns(rows, chosen):
    return torch.cat([rows[:, one : one + 1] for one in chosen], 1)  # columns


def together(rows):
    return torch.stack([torch.tensor(row) for row in rows])  # made


def walk(points):
    place = torch.zeros(3)
    for i in range(len(points)):
        place = torch.tanh(points[i] + place * 0.5)
    return place


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 8)
        self.outer = torch.nn.Linear(8, 1)

    def forward(self, rows):
        return self.outer(torch.relu(self.inner(rows)))


def train(rows, wanted):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    losses = 0.0
    for step in range(400):
        picked = torch.randint(len(rows), (8,))
        loss = ((net(rows[picked])[:, 0] - wanted[picked]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses += loss.item()
    return losses


"""
ORDINARY = """
walk(torch.rand(20000, 3))
train(torch.rand(512, 4), torch.rand(512))
"""
READING = """
overlaps(torch.rand(200, 4), torch.rand(200, 4))
for _ in range(24):
    total(torch.rand(60000))
columns(torch.rand(8, 40), list(range(40)) * 6000)
"""
SETTING = """
counts(torch.randint(5, (40000,)), torch.randint(5, (40000,)))
lengths_to_mask([3] * 160000, 8)
together([(1.0, 2.0, 3.0)] * 160000)
"""

SAME = """\
import sys

import torch

torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
model = torch.nn.TransformerEncoder(layer, 2).eval()
answers = 0.0
with torch.no_grad(), torch.device("cpu"):
    for _ in range(300):
        answers += model(torch.rand(3, 5, 16)).double().sum().item()
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters())
for step in range(300):
    loss = (net(torch.rand(8, 4)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
compiled = torch.compile(net, backend="eager")
for step in range(40):
    loss = (compiled(torch.rand(8, 4)) ** 2).mean()
    loss.backward()
    optimizer.step()
counters = torch._dynamo.utils.counters
print(answers.hex(), loss.item().hex(), counters["stats"], counters["graph_break"])
"""


@pytest.mark.watched
def test_loops_that_read_elements_and_slices_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM + READING + ORDINARY, "torch-loops")
    told = {item["line"]: item for item in found}
    (slices,), (scalars,) = (marked(PROGRAM, mark) for mark in ("slices", "scalars"))
    assert told[slices]["rule"] == "per-slice-op"
    assert told[scalars]["message"] == "the elements of a tensor are read one by one"
    (columns,) = marked(PROGRAM, "columns")
    assert told[columns]["rule"] == "looped-lookup"
    assert set(told) == {slices, scalars, columns}


def test_loops_that_set_elements_or_make_tensors_of_them_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM + SETTING + ORDINARY, "torch-loops")
    told = {item["line"]: item["rule"] or item["message"] for item in found}
    (updates,), (counted,) = (marked(PROGRAM, mark) for mark in ("updates", "counted"))
    (made,) = marked(PROGRAM, "made")
    assert told == {
        updates: "looped-update",
        counted: "looped-update",
        made: "a tensor is created for each value separately",
    }


def test_listening_changes_no_result(tmp_path: Path) -> None:
    (tmp_path / "same.py").write_text(SAME, encoding="utf-8")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    said = [
        subprocess.run(
            [sys.executable, *words, "same.py"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=170,
        ).stdout
        for words in ((), ("-m", "deepperf", "run"))
    ]
    assert said[0] == said[1]


CALLED = """\
import torch


def scaled(reading):
    low, high = reading.min(), reading.max()
    return (reading - low) / (high - low)


def all_scaled(readings):
    return torch.stack([scaled(reading) for reading in readings])  # slices


def peak(signal):
    return torch.argmax(signal - signal.mean())


def routes(readings):
    return torch.stack(list(map(peak, readings)))  # mapped


readings = torch.rand(2000, 48)
print(routes(readings).sum(), all_scaled(readings).sum())
"""

CHOSEN = """\
import torch


def fares(distances):
    found = torch.zeros(len(distances))
    for trip in range(len(distances)):  # branches
        if distances[trip] > 10.0:
            found[trip] = 3.0 * distances[trip]
        else:
            found[trip] = 4.0 + distances[trip]
    return found


print(fares(torch.rand(8000) * 20).sum())
"""

JOINED = """\
import torch


class Cell(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = torch.nn.Parameter(torch.rand(8, 8) / 8)

    def forward(self, series):
        state = torch.zeros(8)
        for row in series:
            state = torch.tanh(row + self.weights @ state)
        return state


def settle(guess, wanted):
    for turn in range(3000):
        slope = 2.0 * (guess - wanted)
        guess = guess - 0.001 * slope
        if slope.abs().max() < 1e-9:
            break
    return guess


class Readings(torch.utils.data.Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, number):
        row = self.rows[number]
        return (row - row.mean()) / (row.std() + 1e-6)


readings = torch.rand(2000, 48)
total = torch.zeros(48)
for width in [8, 16, 32]:
    for batch in torch.utils.data.DataLoader(Readings(readings), batch_size=width):
        total += batch.sum(0)
low, high = readings.amin(1, keepdim=True), readings.amax(1, keepdim=True)
scaled = (readings - low) / (high - low)
distances = torch.rand(3000) * 20
fares = torch.where(distances > 10.0, 3.0 * distances, 4.0 + distances)
with torch.no_grad():
    print(Cell()(torch.rand(3000, 8)).sum(), settle(torch.rand(4), torch.rand(4)).sum())
"""


def test_a_loop_is_told_where_it_calls_what_works_on_a_slice(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, CALLED, "torch-loops")
    assert lines_of(found, "per-slice-op") == marked(CALLED, "slices")
    assert lines_of(found, "row-wise-map") == marked(CALLED, "mapped")


def test_a_choice_between_formulas_is_told_at_the_loop(tmp_path: Path) -> None:
    # Loops that Python itself takes long over are seen by another signal, too, and told once.
    found = report_on(tmp_path, CHOSEN)["findings"]
    assert lines_of(found, "looped-branch") == marked(CHOSEN, "branches")


def test_whole_tensors_and_turns_that_need_the_last_are_not_told(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, JOINED, "torch-loops") == []
