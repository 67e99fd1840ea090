"""Work that a function does again where it has not answered before."""

from __future__ import annotations

import pytest
from tests.semantics.test_repetition import repeated

ANSWERS = """
class Index:
    def __init__(self, path):
        self.rows = np.load(path)
        self.least = 0.5
        self.seen = 0
        self.kept = {}

    def near(self, row):
        if {test}:
            return None
        {then}
        return row @ np.linalg.inv(self.rows)


def answers(index: Index, rows):
    for row in rows:
        print(index.near(row))


answers(Index("rows.npy"), np.load("asked.npy"))
"""
FOUND = ["np.linalg.inv(self.rows)"]


def of_answers(test: str, then: str = "pass") -> list[str]:
    return repeated(ANSWERS.replace("{test}", test).replace("{then}", then))


@pytest.mark.parametrize("test", ["row[0] < self.least", "row.max() > 0.9 or row.min() < 0"])
def test_what_follows_a_return_that_data_decide_is_done_again(test: str) -> None:
    assert of_answers(test) == FOUND


@pytest.mark.parametrize(
    ("test", "then"),
    [
        ("row[0] in self.kept", "self.kept[row[0]] = 1"),
        ("row[0] == self.seen", "self.seen = row[0]"),
        ("self.kept is not None", "self.kept = row"),
        ("row[0] % 100 == 1", "pass"),
        ("row", "pass"),
    ],
)
def test_what_is_remembered_or_counted_decides_that_it_is_seldom(test: str, then: str) -> None:
    assert of_answers(test, then) == []
