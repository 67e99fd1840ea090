"""The memory of the questions about one file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deepperf.semantics.files.analysis import FURTHEST_UP, Analysis
from deepperf.semantics.files.project import Project


@pytest.fixture
def analysis() -> Analysis:
    return Analysis(Project({}), "main.py")


def asked_from(analysis: Analysis, steps: int, ask: Callable[[], str]) -> str:
    """An answer, asked while so many parameters in a row are followed to callers."""
    if not steps:
        return ask()
    with analysis.going_up():
        return asked_from(analysis, steps - 1, ask)


def test_an_answer_that_ends_where_parameters_are_followed_no_farther_is_found_once(
    analysis: Analysis,
) -> None:
    found: list[str] = []

    def find() -> str:
        with analysis.going_up() as is_followed:
            found.append("followed" if is_followed else "cut off")
        return found[-1]

    def ask() -> str:
        return analysis.remember("question", find, "circular")

    def from_above(name: str) -> str:
        return analysis.remember(name, lambda: asked_from(analysis, FURTHEST_UP, ask), "circular")

    assert [from_above("one"), from_above("other")] == ["cut off", "cut off"]
    assert found == ["cut off"]
    # Who asks without having followed any gets what is there.
    assert ask() == "followed"
    assert found == ["cut off", "followed"]


def test_an_answer_that_rests_on_an_open_question_is_not_kept(analysis: Analysis) -> None:
    def first() -> str:
        return analysis.remember("first", lambda: f"first({second()})", "?")

    def second() -> str:
        return analysis.remember("second", lambda: f"second({first()})", "?")

    assert first() == "first(second(?))"
    assert second() == "second(first(second(?)))"


def test_a_circular_question_is_asked_until_what_it_gives_no_longer_changes(
    analysis: Analysis,
) -> None:
    links = {"a": "b", "b": "c", "c": "a"}

    def reached(place: str) -> frozenset[str]:
        return analysis.settle(
            place, lambda: frozenset((place,)) | reached(links[place]), frozenset()
        )

    assert reached("b") == reached("a") == reached("c") == frozenset("abc")


def test_a_circular_question_that_gives_ever_more_is_given_up(analysis: Analysis) -> None:
    def longer() -> str:
        return analysis.settle("text", lambda: f"{longer()}.", "")

    assert longer() == "..."
