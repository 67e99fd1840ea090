"""Work that is done again by what an object keeps: functions, other objects, one of several."""

from __future__ import annotations

import pytest
from tests.semantics.test_repetition import repeated

KEEPING = """
import functools


def solve(table, x):
    return np.linalg.inv(table) @ x


def press(table, x):
    table *= 0.9
    return np.linalg.pinv(table) @ x


def plain(x):
    return 2 * x


def grid(n):
    return np.eye(n) + 1


class Solver:
    def __init__(self, n, is_plain, table):
        {made}

    def run(self, x):
        for _ in range(1000):
            x = self.step(x)
            {done}
        return x
"""


def of_keeping(made: str, done: str = "pass") -> list[str]:
    made = made.replace("\n", "\n        ")
    return repeated(KEEPING.replace("{made}", made).replace("{done}", done))


@pytest.mark.parametrize(
    ("made", "done"),
    [
        ("self.step = functools.partial(press, grid(n))", "pass"),
        ("self.step = functools.partial(solve, grid(n))", "self.step = plain"),
        (
            "self.table = grid(n)\nself.step = functools.partial(solve, self.table)",
            "self.table[0] = x",
        ),
        (
            "self.table = table\nself.step = functools.partial(solve, table)",
            "self.table += 1",
        ),
        (
            "parts = [table]\nself.parts = parts\nself.step = functools.partial(solve, table)",
            "pass",
        ),
    ],
)
def test_what_it_gave_may_change_all_the_same(made: str, done: str) -> None:
    assert of_keeping(made, done) == []


def test_an_array_that_a_constructor_kept_is_written_to_by_the_name_it_was_given_under() -> None:
    body = """
class Solver:
    def __init__(self, table):
        self.table = table

    def step(self, x):
        return np.linalg.inv(self.table) @ x


def run(x):
    table = np.eye(9)
    solver = Solver(table)
    for _ in range(1000):
        x = solver.step(x)
        {done}
"""
    assert repeated(body.replace("{done}", "pass")) == ["np.linalg.inv(self.table)"]
    assert repeated(body.replace("{done}", "table[0] = x")) == []


GENERATING = """
class Ladder:
    def __init__(self, matrix):
        self.matrix = matrix

    def steps(self):
        yield np.linalg.inv(self.matrix)
        yield np.linalg.pinv(self.matrix)


def run(path, xs):
    ladder, kept = Ladder(np.load(path)), []
    for x in xs:
        {done}
"""


@pytest.mark.parametrize(
    "done",
    [
        "print(next(ladder.steps()) @ x)",
        "print(any(step.any() for step in ladder.steps()), x)",
        "print(zip(x, ladder.steps()))",
        "steps = ladder.steps()\n        print(next(steps) @ x)",
        "for step in ladder.steps():\n            if x @ step > 0:\n                break",
        "for step in ladder.steps():\n            ladder.matrix = step + x",
    ],
)
def test_a_generator_may_be_left_or_find_something_else(done: str) -> None:
    assert repeated(GENERATING.replace("{done}", done)) == []
