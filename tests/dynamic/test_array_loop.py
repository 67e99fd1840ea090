"""Loops over the elements of arrays are found where each turn stands for itself."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
from tests.dynamic.watched import marked, report_on, told_by

from deepperf.dynamic.program.element_loops import element_loops
from deepperf.dynamic.program.number_loops import number_loops

PROGRAM = """\
import math

import numpy as np


def tariff(amounts, limit):
    paid = np.zeros(len(amounts))
    for index in range(len(amounts)):  # chooses
        if amounts[index] > limit:
            paid[index] = np.sqrt(amounts[index])
        else:
            paid[index] = 0.5 * amounts[index]
    return paid


def smoothed(values, weight):
    level = 0.0
    levels = np.zeros(len(values))
    for index in range(len(values)):
        level = weight * level + (1.0 - weight) * values[index]
        levels[index] = level if level > 0.0 else 0.0
    return levels


def scaled(prices):
    mean = sum(prices) / len(prices)
    spread = math.sqrt(sum((price - mean) ** 2 for price in prices) / len(prices))  # numbers
    return [(price - mean) / spread for price in prices]  # numbers


def walked(prices, pull):
    level, levels = 0.0, []
    for price in prices:
        level = level + pull * (price - level)
        levels.append(level)
    return levels


def reached(row, column, distance):
    return (row - 20) ** 2 + (column - 30) ** 2 <= distance * distance


def flooded(heights, distance):
    depths = np.zeros((200, 300, 2))
    for row in range(200):
        for column in range(300):  # cells
            if reached(row, column, distance):
                depths[row, column] = heights[row, column], distance
    return depths


amounts = np.random.default_rng(1).random(1_000_000)
print(tariff(amounts, 0.5).sum(), smoothed(amounts, 0.9).sum())
prices = amounts.tolist()
for _ in range(3):
    prices = scaled(prices)
print(walked(prices, 0.1)[-1])
heights = np.random.default_rng(2).random((200, 300))
print(sum(flooded(heights, distance).sum() for distance in range(10, 30)))
"""


def test_a_branch_for_each_element_is_told_and_a_recurrence_is_not(tmp_path: Path) -> None:
    report = report_on(tmp_path, PROGRAM)
    assert report["run"]["problems"] == []
    numbers = told_by(report, "number-loop")
    assert sorted(item["line"] for item in numbers) == marked(PROGRAM, "numbers")
    found = told_by(report, "array-loop")
    lines = {*marked(PROGRAM, "chooses"), *marked(PROGRAM, "cells")}
    assert {item["line"] for item in found} == lines
    assert {item["rule"] for item in found} == {"looped-branch"}
    assert all(item["share"] > 0.02 for item in found)


FUNCTIONS = """\
def inside(i, j):
    if i > j:
        return abs(i - j) < 3
    return math.hypot(i, j) < 5


def told(i):
    print(i)
    return i


def counted(i):
    global count
    count += 1
    return i


def work(x, y, m, p, other):
"""


def loops(tmp_path: Path, body: str, **arrays: np.ndarray) -> list[tuple[tuple[str, ...], bool]]:
    """Arrays and choice of each loop that is found in a function's body."""
    path = tmp_path / "program.py"
    path.write_text(FUNCTIONS + textwrap.indent(body, "    "), encoding="utf-8")
    shapes = {name: array.shape for name, array in arrays.items()}
    return [(loop.arrays, loop.chooses) for loop in element_loops(str(path), "work", shapes)]


ALONE = [
    ("for v in x:\n    out.append(v if v > 0 else -v)\n", (("x",), True)),
    ("for i, v in enumerate(x):\n    y[i] = np.exp(v) * 2\n", (("x", "y"), False)),
    (
        "for i in range(9):\n    for j in range(9):\n        m[i, j] = m[i, j] + 1\n",
        (("m",), False),
    ),
    (
        "for i in range(9):\n  for j in range(9):\n    if inside(i, j):\n      p[:, i, j] = k\n",
        (("p",), True),
    ),
    (
        "for i in range(9):\n  for j in range(9):\n    m[i, j] = min(i - r for r, c in k)\n",
        (("m",), False),
    ),
]
TOGETHER = {
    "a sum is carried on": "for v in x:\n    total += v\n",
    "the element before is used": "for i in range(1, 9):\n    y[i] = y[i - 1] + x[i]\n",
    "whole rows are taken": "for i in range(9):\n    out.append(np.sort(m[i]))\n",
    "large slices are taken": "for i in range(9):\n    p[i] = p[i] * 2\n",
    "a function prints": "for i in range(9):\n    y[i] = told(x[i])\n",
    "a function counts": "for i in range(9):\n    y[i] = counted(x[i])\n",
    "a function of unknown effect is called": "for v in x:\n    out.append(other(v))\n",
    "the search ends at the first": "for v in x:\n    if v > 1:\n        break\n",
    "it waits for something": "for v in x:\n    while v > 1:\n        v -= 1\n",
    "it goes through no array": "for v in words:\n    out.append(v if v else None)\n",
    "what an expression goes through was set in the turn before": "for i in range(9):\n"
    "    y[i] = max(abs(v) for v in words)\n    words = [x[i]]\n",
    "random numbers are drawn": "for i in range(9):\n    y[i] = x[i] * np.random.rand()\n",
}


@pytest.mark.parametrize(("body", "told"), ALONE)
def test_turns_that_stand_for_themselves(
    tmp_path: Path, body: str, told: tuple[tuple[str, ...], bool]
) -> None:
    arrays = {"x": np.ones(9), "y": np.ones(9), "m": np.ones((9, 9)), "p": np.ones((3, 9, 9))}
    assert loops(tmp_path, body, **arrays) == [told]


@pytest.mark.parametrize("body", TOGETHER.values(), ids=TOGETHER.keys())
def test_turns_that_need_each_other_or_do_more(tmp_path: Path, body: str) -> None:
    arrays = {"x": np.ones(9), "y": np.ones(9), "m": np.ones((9, 9)), "p": np.ones((3, 9, 9))}
    assert loops(tmp_path, body, **arrays) == []


def turns(tmp_path: Path, body: str) -> list[int]:
    """The turns of each loop over numbers in a function that knows some names."""
    path = tmp_path / "program.py"
    path.write_text("def work(x, y, n):\n" + textwrap.indent(body, "    "), encoding="utf-8")
    found = number_loops(str(path), "work", {"n": 900, "scale": 0, "self.n": 700}, {"x": 500})
    return [loop.turns for loop in found]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("for v in x:\n    out.append(v * scale)\n", 500),
        ("for i in range(self.n):\n    t = i / n\n    out.append(math.sin(t))\n", 700),
        ("for i in range(1, n):\n    out.append(i ** 2 if i > scale else 0)\n", 900),
        ("total = 0\nfor i, v in enumerate(x):\n    total += v * i\n", 500),
        ("return sum((v - scale) ** 2 for v in x)\n", 500),
        ("return [random.gauss(0, 1) for _ in range(len(x))]\n", 500),
    ],
)
def test_loops_over_numbers_are_known_with_their_turns(
    tmp_path: Path, body: str, count: int
) -> None:
    assert turns(tmp_path, body) == [count]


@pytest.mark.parametrize(
    "body",
    [
        "for v in x:\n    scale = scale * v\n",
        "for v in x:\n    total += v * total\n",
        "for v in x:\n    out.append(v * weight)\n",
        "for v in x:\n    out.append(f'{v * scale}')\n",
        "for v in x:\n    out.append(convert(v * scale))\n",
        "for v in x:\n    out.append(rows[v] * scale)\n",
        "for v in x:\n    if v * scale > 1:\n        break\n",
        "for v in x:\n    out.append(v + scale)\n",
        "return [v for v in x]\n",
    ],
)
def test_other_loops_are_none_over_numbers(tmp_path: Path, body: str) -> None:
    assert turns(tmp_path, body) == []
