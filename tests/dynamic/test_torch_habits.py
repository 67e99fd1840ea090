"""Habits that cost PyTorch programs time: cells that a loop steps, hooks that are never taken off,
weights that are copied, tensors that are made of lists, a mode for hunting NaNs that is left on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.dynamic.watched import marked, needs, report_on, told_by

needs("torch")

PROGRAM = """\
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.GRUCell(8, 32), nn.Linear(32, 1)

    def forward(self, window):
        h = window.new_zeros(len(window), 32)
        for t in range(window.size(1)):
            h = self.cell(window[:, t], h)  # stepped
        return self.out(h)


class Writer(Encoder):
    def forward(self, start):
        h = start.new_zeros(len(start), 32)
        x, written = start, []
        for _ in range(100):
            h = self.cell(x, h)
            x = self.out(h).expand(-1, 8)
            written.append(x)
        return torch.stack(written)


class Layered(nn.Module):
    def __init__(self):
        super().__init__()
        self.recurrent, self.out = nn.LSTM(8, 32, batch_first=True), nn.Linear(32, 1)

    def forward(self, window):
        state, outputs = None, []
        for t in range(window.size(1)):
            output, state = self.recurrent(window[:, t : t + 1], state)  # stepped
            outputs.append(output)
        return self.out(torch.cat(outputs, 1))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.recurrent = nn.Embedding(50, 16), nn.GRU(16, 16)

    def forward(self, word, state):
        return self.recurrent(self.embedding(word).view(1, 1, -1), state)


def read_aloud(encoder, words, times):
    for _ in range(times):
        state = torch.zeros(1, 1, 16)
        outputs = torch.zeros(len(words), 16)
        for number in range(len(words)):
            output, state = encoder(words[number], state)  # stepped
            outputs[number] = output[0, 0]
        outputs.sum().backward()


class Whole(Layered):
    def forward(self, window):
        return self.out(self.recurrent(window)[0])


def trained(net, inputs, steps):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        net(inputs).square().mean().backward()
        optimizer.step()


seen = []


def look(module, inputs, output):
    seen.append((output == 0).float().mean().item())
    del seen[:-8]


def watched(net, rows, steps):
    for _ in range(steps):
        net.register_forward_hook(look)  # added
        net(rows)


def peeked(net, rows, steps):
    for _ in range(steps):
        handle = net.register_forward_hook(look)
        net(rows)
        handle.remove()


trained(Encoder(), torch.rand(16, 100, 8), 80)
trained(Layered(), torch.rand(16, 100, 8), 40)
read_aloud(Words(), torch.randint(50, (100,)), 200)
trained(Whole(), torch.rand(16, 100, 8), 10)
trained(Writer(), torch.rand(16, 8), 30)
with torch.no_grad():
    watched(nn.Linear(16, 16), torch.rand(64, 16), 400)
    peeked(nn.Linear(16, 16), torch.rand(64, 16), 300)
"""


WASTE = """\
import copy

import numpy as np
import torch
from torch import nn


def remembered(net, inputs, steps):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for step in range(steps):
        optimizer.zero_grad()
        net(inputs).square().mean().backward()
        optimizer.step()
        last = copy.deepcopy(net.state_dict())  # copied
        if step == steps - 1:
            return copy.deepcopy(last)


def sampled(memory, times):
    for _ in range(times):
        rows = torch.tensor(memory)  # created from a list
        torch.tensor(np.stack(memory))
        torch.tensor([[1, 2], [3, 4], [5, 6], [7, 8]])
        len(rows)


def hunting(net, steps):
    for _ in range(steps):
        with torch.autograd.detect_anomaly():  # hunted
            net(torch.rand(2, 8)).square().mean().backward()


sampled([np.random.rand(2000) for _ in range(40)], 48)
remembered(nn.Linear(3000, 3000), torch.rand(2, 3000), 80)
hunting(nn.Sequential(*(nn.Linear(8, 8) for _ in range(30))), 160)
"""


@pytest.mark.watched
def test_stepped_cells_and_hooks_that_are_kept_are_found(tmp_path: Path) -> None:
    report = report_on(tmp_path, PROGRAM)
    assert report["run"]["problems"] == []
    stepped = sorted(told_by(report, "stepped-cells"), key=lambda item: item["line"])
    assert [item["line"] for item in stepped] == marked(PROGRAM, "stepped")
    assert "`torch.nn.GRU`" in stepped[0]["remedy"]
    assert stepped[2]["remedy"] == "pass the whole sequence to the `GRU`, which loops internally"
    assert stepped[1]["remedy"] == "pass the whole sequence to the `LSTM`, which loops internally"
    (added,) = told_by(report, "growing-hooks")
    assert [added["line"]] == marked(PROGRAM, "added")
    assert added["weight"] == "time"
    assert added["share"] > 0.02


@pytest.mark.watched
@pytest.mark.parametrize(
    ("signal", "mark"),
    [
        ("listed-arrays", "created from a list"),
        ("copied-weights", "copied"),
        ("anomaly-mode", "hunted"),
    ],
)
def test_what_is_done_for_nobody_is_found(wasted: dict[str, Any], signal: str, mark: str) -> None:
    (found,) = told_by(wasted, signal)
    assert [found["line"]] == marked(WASTE, mark)


@pytest.fixture(scope="module")
def wasted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    report = report_on(tmp_path_factory.mktemp("wasted"), WASTE)
    assert report["run"]["problems"] == []
    return report
