"""An array that the turns of a loop change is not the same in each, whatever leads to it."""

from __future__ import annotations

import pytest
from tests.properties.changing.watching import claims

HEAD = """
import numpy as np

def look(x):
    return np.sort(x, axis=0)

def add(x):
    x += 1

def feed(x, turns):
    for turn in range(turns):
        x[0] = turn
        yield turn

class Holder:
    def __init__(self, x):
        self.x = x
        self.parts = [x]

    def __getitem__(self, place):
        return self.parts[place] * self.x

    def write(self, value):
        self.x[0] = value

    def rename(self, name, x):
        setattr(self, name, x)

table, other, kept = np.eye(9), np.ones((9, 9)), []
rows, named, holder = [table, other], {"table": table}, Holder(table)
for turn in range(300):
    kept.append(look(table))
"""


def said(text: str) -> list[str]:
    return [claim.text.partition(": ")[2] for claim in claims(text)]


def test_what_nothing_changes_is_the_same() -> None:
    assert said(HEAD) == ["np.sort(x, axis=0)"]


@pytest.mark.parametrize(
    "line",
    [
        "rows[0][0] = turn",
        'named["table"][0] = turn',
        'named.get("table")[0] = turn',
        "min(rows, key=np.sum)[0] = turn",
        "[add(one) for one in rows]",
        "for one in rows: one[0] = turn",
        "holder.x[0] = turn",
        "holder.write(turn)",
        "rows[0] += turn",
        "holder.parts[0] += turn",
        "holder.x += turn",
        "np.sin(rows[0], rows[0])",
        "np.add(holder.x, 1, holder.x)",
        "np.add.at(holder.x, 0, 1)",
        "rows[0].__iadd__(turn)",
    ],
)
def test_what_a_line_changes_by_another_way_is_not(line: str) -> None:
    assert said(f"{HEAD}    {line}\n") == []


@pytest.mark.parametrize(
    "line",
    [
        "other[0] = turn",
        "np.sin(other, other)",
        "kept.append(rows[0])",
    ],
)
def test_what_a_line_leaves_alone_still_is(line: str) -> None:
    assert said(f"{HEAD}    {line}\n") == ["np.sort(x, axis=0)"]


def test_a_generator_changes_what_it_was_given_between_the_turns() -> None:
    assert said(HEAD.replace("in range(300)", "in feed(table, 300)")) == []
    assert said(HEAD.replace("in range(300)", "in feed(other, 300)")) == ["np.sort(x, axis=0)"]


def test_an_item_that_an_object_makes_may_be_another_in_each_turn() -> None:
    assert said(HEAD.replace("look(table)", "look(holder[0])")) == []


def test_an_attribute_that_is_set_by_its_name_is_another() -> None:
    text = HEAD.replace("look(table)", "look(holder.x)")
    assert said(text) == ["np.sort(x, axis=0)"]
    assert said(f'{text}    holder.rename("x", other)\n') == []


FILM = """
import numpy as np

def play(film):
    atoms = film.select("carbon")
    for frame in {iterable}:
        print(frame, np.sort({read}, axis=0))
"""


@pytest.mark.parametrize(
    ("iterable", "read"),
    [
        ("film.frames()", "film.positions"),
        ("enumerate(film.frames())", "film.positions"),
        ("film.frames", "atoms.positions"),
    ],
)
def test_a_loop_over_what_an_unknown_object_gives_moves_it_on(iterable: str, read: str) -> None:
    assert said(FILM.format(iterable=iterable, read=read)) == []


@pytest.mark.parametrize(
    ("iterable", "read"),
    [("range(300)", "film.positions"), ("film.items()", "film.positions")],
)
def test_a_loop_over_numbers_or_a_listing_moves_nothing_on(iterable: str, read: str) -> None:
    assert said(FILM.format(iterable=iterable, read=read)) == [f"np.sort({read}, axis=0)"]
