"""Answers are the same whoever asks first; each is computed few times; a crash leaves none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from tests.semantics.second.written import MAIN, file

from deepperf.knowledge.schema import Trait
from deepperf.semantics.program.answers import Answers, Ground
from deepperf.semantics.query import File, Function

MANY = 200


class Graph:
    """Things that rest on each other: the answer about one are all that it reaches."""

    def __init__(self, edges: dict[str, list[str]]) -> None:
        self.edges = edges
        self.answers = Answers(self)
        self.computed = Counter[str]()
        self.failing: set[str] = set()


def reached(graph: Graph, name: str) -> frozenset[str]:
    return graph.answers.ask(compute, (name,), bottom=frozenset())


def compute(graph: Graph, name: str) -> frozenset[str]:
    graph.computed[name] += 1
    graph.answers.note_word(name)
    found = frozenset((name,)).union(*[reached(graph, other) for other in graph.edges[name]])
    if name in graph.failing:
        raise RuntimeError(name)
    return found


RINGS = {
    "a": ["b"],
    "b": ["c", "d"],
    "c": ["a"],
    "d": ["e"],
    "e": ["d", "f"],
    "f": [],
}


@pytest.mark.parametrize("order", [*permutations("abcdef", 2)], ids="".join)
def test_circular_answers_are_the_same_in_any_order_of_asking(order: tuple[str, ...]) -> None:
    graph = Graph(RINGS)
    for name in order:
        reached(graph, name)
    found = {name: "".join(sorted(reached(graph, name))) for name in RINGS}
    assert found == {
        "a": "abcdef",
        "b": "abcdef",
        "c": "abcdef",
        "d": "def",
        "e": "def",
        "f": "f",
    }


def chain(count: int) -> dict[str, list[str]]:
    return {str(n): [str(n + 1)] if n + 1 < count else [] for n in range(count)}


def ring(count: int) -> dict[str, list[str]]:
    return {str(n): [str((n + 1) % count)] for n in range(count)}


def full_ladder(count: int) -> dict[str, list[str]]:
    """Each rests on the next two: the paths over them are without number."""
    return {str(n): [str(m) for m in (n + 1, n + 2) if m < count] for n in range(count)}


@pytest.mark.parametrize("edges", [chain, full_ladder])
def test_answers_without_circles_are_computed_few_times(
    edges: Callable[[int], dict[str, list[str]]],
) -> None:
    graph = Graph(edges(MANY))
    assert len(reached(graph, "0")) == MANY
    assert graph.computed.total() <= 8 * MANY


def test_a_ring_settles_or_says_that_it_ran_into_a_bound() -> None:
    graph = Graph(ring(MANY))
    assert len(reached(graph, "0")) == MANY or graph.answers.bounded
    assert graph.computed.total() <= 40 * MANY


def test_a_crash_leaves_no_half_answers() -> None:
    graph = Graph(RINGS)
    graph.failing = {"f"}
    with pytest.raises(RuntimeError):
        reached(graph, "a")
    graph.failing = set()
    assert "".join(sorted(reached(graph, "a"))) == "abcdef"
    assert "".join(sorted(reached(graph, "d"))) == "def"


WAYS = {"a": ["b"], "b": ["c", "a"], "c": [], "d": ["a"], "e": ["c"]}


@pytest.mark.parametrize("order", [*permutations("abde", 2)], ids="".join)
def test_an_answer_remembers_what_it_rests_on(order: tuple[str, ...]) -> None:
    graph = Graph(WAYS)
    for name in order:
        graph.answers.ask_for(name)
        reached(graph, name)
    words = {name: graph.answers.rests_on(name, Ground.WORD) for name in order}
    assert words == {name: frozenset(reached(graph, name)) for name in order}


def functions_in_a_row(count: int, last: str) -> str:
    """Functions each of which calls the next one."""
    text = ["import torch", ""]
    for n in range(count):
        then = f"f{n + 1}(x)" if n + 1 < count else last
        text += [f"def f{n}(x):", f"    return {then}", ""]
    return "\n".join(text)


def named(text: str, name: str) -> Function:
    return next(one for one in file(text).functions() if one.name == name)


@pytest.mark.parametrize("last", ["x.item()", "f0(x)"], ids=["chain", "ring"])
def test_programs_with_long_chains_of_calls_cost_little_more_for_each(last: str) -> None:
    def asked(count: int) -> int:
        function = named(functions_in_a_row(count, last), "f0")
        counted = Counter[str]()
        compute_one = function.program.answers._compute

        def counting(cell: Any) -> None:
            counted[cell.question.__name__] += 1
            compute_one(cell)

        function.program.answers._compute = counting  # type: ignore[method-assign]
        function.reaches(Trait.SYNCS_HOST)
        return counted.total()

    assert asked(MANY) <= 3 * asked(MANY // 2)


def test_what_is_reached_is_the_same_from_whichever_function_one_asks_first() -> None:
    text = functions_in_a_row(6, "x.item() or f0(x)")
    names = [f"f{n}" for n in range(6)]

    def found(order: list[str]) -> dict[str, int]:
        functions = {one.name: one for one in file(text).functions()}
        for name in order:
            functions[name].reaches(Trait.SYNCS_HOST)
        ways = {name: functions[name].reaches(Trait.SYNCS_HOST) for name in names}
        return {name: len(way.chain) if way else 0 for name, way in ways.items()}

    expected = found(names)
    assert set(expected.values()) == {1, 2, 3, 4, 5, 6}
    assert [found(names[n:] + names[:n]) == expected for n in range(6)] == [True] * 6
    assert MAIN in file(text).path


def bounded_functions(read: File) -> list[str]:
    found = read.followed_in_part
    return [found.name] if found else []


def test_a_function_whose_answers_ran_into_a_bound_is_named() -> None:
    read = file("def f():\n    pass\n\n\ndef g():\n    pass\n")
    assert bounded_functions(read) == []
    read.program.answers.bounded.add((read.path, 2, 0))
    assert bounded_functions(read) == ["g"]
