"""Cells that a loop steps through a sequence, and hooks that are added and never taken off."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import marked, report_on, told_by

pytest.importorskip("torch")

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


trained(Encoder(), torch.rand(16, 100, 8), 100)
trained(Writer(), torch.rand(16, 8), 100)
with torch.no_grad():
    watched(nn.Linear(16, 16), torch.rand(64, 16), 300)
    peeked(nn.Linear(16, 16), torch.rand(64, 16), 300)
"""


def test_a_stepped_cell_and_hooks_that_are_kept_are_found(tmp_path: Path) -> None:
    report = report_on(tmp_path, PROGRAM)
    assert report["run"]["problems"] == []
    (stepped,) = told_by(report, "stepped-cells")
    assert [stepped["line"]] == marked(PROGRAM, "stepped")
    assert "`torch.nn.GRU`" in stepped["remedy"]
    (added,) = told_by(report, "growing-hooks")
    assert [added["line"]] == marked(PROGRAM, "added")
    assert added["weight"] == "time"
    assert added["share"] > 0.02
