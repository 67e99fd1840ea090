"""Memory that grows for no visible reason is noted; what fills up, or is explained, is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, needs

needs("torch")

SETUP = """\
import time

import numpy as np
import torch

net = torch.nn.Linear(64, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)


def one_step():
    optimizer.zero_grad()
    net(torch.rand(32, 64)).pow(2).mean().backward()
    optimizer.step()
    time.sleep(0.002)


class Node:
    def __init__(self, before, values):
        self.before = before
        self.values = values


def steps(seconds):
    end = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < end:
        one_step()
        yield number
        number += 1


"""

CHAIN = (
    SETUP
    + """\
node = None
for number in steps(7):
    node = Node(node, np.full(40_000, 1.0))
"""
)

CACHE = (
    SETUP
    + """\
node = None
for number in steps(7):
    if number < 250:
        node = Node(node, np.full(40_000, 1.0))
"""
)

MAPPED = (
    SETUP
    + """\
rows = np.lib.format.open_memmap("rows.npy", mode="w+", dtype="float64", shape=(4000, 20_000))
total = 0.0
for number in steps(7):
    rows[number % len(rows)] = number
    total += rows[number % len(rows)].sum()
"""
)

SIZES = (
    SETUP
    + """\
for number in steps(7):
    torch.rand(1000 + number * 7919 % 5000, 1000).sum()
"""
)

LISTED = (
    SETUP
    + """\
kept = []
for number in steps(7):
    kept.append(np.full(40_000, 1.0))
"""
)


@pytest.mark.watched
def test_growth_that_nothing_known_holds_is_noted(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, CHAIN, "unexplained-growth")
    assert found["weight"] == "hint"
    assert "autograd's history" in found["evidence"]


@pytest.mark.watched
@pytest.mark.parametrize(
    "program", [CACHE, MAPPED, SIZES, LISTED], ids=["cache", "mapped", "sizes", "listed"]
)
def test_what_fills_up_or_is_told_otherwise_is_not(tmp_path: Path, program: str) -> None:
    assert diagnoses(tmp_path, program, "unexplained-growth") == []
