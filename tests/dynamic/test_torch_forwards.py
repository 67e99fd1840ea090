"""Models asked about row after row, and evaluations that keep gradients, are found."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked

pytest.importorskip("torch")

PROGRAM = """\
import torch


class Net(torch.nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.inner = torch.nn.Linear(8, hidden)
        self.outer = torch.nn.Linear(hidden, 1)

    def forward(self, rows):
        return self.outer(torch.relu(self.inner(rows)))


def one_by_one(net, rows):
    scores = []
    with torch.no_grad():
        for i in range(len(rows)):
            scores.append(net(rows[i : i + 1]))  # rows
    return torch.cat(scores)


def score(net, row):
    with torch.no_grad():
        return net(torch.tensor(row).unsqueeze(0)).item()  # rows


def kept(net, batches):
    total = 0.0
    for batch in batches:
        total += net(batch).detach().sum().item()  # kept
    return total


def played(net, steps):
    state = torch.zeros(1, 8)
    with torch.no_grad():
        for _ in range(steps):
            state = state * 0.9 + net(state)
    return state


def batched(net, rows):
    with torch.inference_mode():
        for first in range(0, len(rows), 32):
            net(rows[first : first + 32])


def trained(net, rows):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for i in range(len(rows)):
        loss = net(rows[i : i + 1]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def explained(net, rows):
    for i in range(0, len(rows), 8):
        batch = rows[i : i + 8].clone().requires_grad_()
        torch.autograd.grad(net(batch).sum(), batch)


one_by_one(Net().eval(), torch.rand(24000, 8))
scores = [score(net, row) for net in [Net().eval()] for row in torch.rand(20000, 8).tolist()]
kept(Net(4096).eval(), [torch.rand(512, 8)] * 120)
played(Net().eval(), 2000)
batched(Net().eval(), torch.rand(24000, 8))
explained(Net().eval(), torch.rand(1000, 8))
trained(Net(), torch.rand(500, 8))
"""


def test_models_asked_row_by_row_or_with_gradients_for_nobody_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "torch-forwards")
    rows = [item for item in found if item["rule"] == "predict-per-item"]
    assert sorted((item["line"], item["weight"]) for item in rows) == [
        (line, "time") for line in marked(PROGRAM, "rows")
    ]
    kept = [item for item in found if item not in rows]
    assert [item["line"] for item in kept] == marked(PROGRAM, "kept")
    assert kept[0]["share"] > 0.02
    assert "`torch.no_grad()`" in kept[0]["remedy"]
