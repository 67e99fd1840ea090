"""A part of a tensor is saved, and the file gets the memory of the whole tensor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.memory.saved_view.parts import Part, part_of
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Value

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("out-of-memory", "slow-execution"),
    stage="data-preparation",
    level=Level.NOTE,
    frameworks=("torch",),
)

_DEEPEST = 3
"""Dictionaries and lists inside each other that are looked into."""


@each_call(Trait.SAVES_STORAGE)
def check(call: Call) -> Iterator[Finding]:
    for saved in _saved(call.arguments[:1], _DEEPEST):
        part = part_of(saved)
        if part is not None:
            yield _finding(call, part)
            return


def _saved(values: Iterable[Value], deepest: int) -> Iterator[Value]:
    """What is saved, and what lies in the dictionaries and lists that are."""
    for value in values:
        yield value
        if deepest:
            yield from _saved(value.contents, deepest - 1)


def _finding(call: Call, part: Part) -> Finding:
    whole = part.whole.variable or part.whole.text
    return rule.finding(
        call,
        f"`{call.name}` writes all of `{whole}`, of which it is given a part",
        "save a copy of the part: `.clone()`",
        related=(part.at.step("the part shares the memory of the whole"),),
        estimate=0.005,
    )
