"""The catalogue answers each of its rows with something that exists."""

from __future__ import annotations

import pytest

from deepperf.dev.catalogue import Row, catalogue_page, kind_of, read_rows
from deepperf.dynamic.signals import signals
from deepperf.rules.registry import find_rules

CANDIDATES, PEERS = read_rows("candidates"), read_rows("peers")
MOST_OUT_OF_SCOPE = 15
RULES = {files.name for files in find_rules()}


def test_named_rules_exist() -> None:
    named = {name for row in (*CANDIDATES, *PEERS) for name in row.rules}
    assert named - RULES == set()


def test_named_signals_exist() -> None:
    named = {name for row in (*CANDIDATES, *PEERS) for name in row.signals}
    assert named - {signal.NAME for signal in signals()} == set()


def test_each_candidate_stands_there_once() -> None:
    names = [row.name for row in CANDIDATES]
    assert len(names) == len(set(names)) == 121


def test_little_is_out_of_scope() -> None:
    outside = [row for row in CANDIDATES if kind_of(row, RULES) == "out of scope"]
    assert len(outside) <= MOST_OUT_OF_SCOPE


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (Row("a", "", rules=("x",), signals=("y",)), "rule"),
        (Row("a", "", planned=("x",), signals=("y",)), "rule"),
        (Row("a", "", planned=("later",), signals=("y",)), "signal"),
        (Row("a", "", refused="z"), "refusal"),
        (Row("a", "", outside="it is about results"), "out of scope"),
        (Row("a", "", planned=("later",)), "open"),
    ],
)
def test_a_row_is_answered_by_the_best_that_there_is(row: Row, kind: str) -> None:
    assert kind_of(row, {"x", "z"}) == kind


def test_no_cell_of_the_page_is_empty() -> None:
    rows = [line for line in catalogue_page(RULES).splitlines() if line.startswith("| ")]
    assert [line for line in rows[1:] if line.rstrip("| ").endswith("|")] == []
    assert [line for line in rows if line.endswith("|  |")] == []
