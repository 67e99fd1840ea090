"""A loop goes over a table row by row, and makes an object of each."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import Dependence, Kind, Loop, Value

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.NOTE,
    frameworks=("numpy", "torch"),
)
_FOR_PEOPLE = (Trait.PRINTS, Trait.PLOTS, Trait.LOGS_METRICS, Trait.ASKS_PERSON)
"""A table that is shown has few rows."""


@each_loop
def check(loop: Loop) -> Iterator[Finding]:
    if loop.is_while or loop.is_short or any(loop.calls(*_FOR_PEOPLE)):
        return
    rows = loop.iterable.call
    if rows is not None and rows.may_have(Trait.ITERATES_ROWS):
        what = f"`{rows.text}` makes a table's row an object of its own in every iteration"
        yield _finding(rows.result, what, ())
        return
    first, *others = [*_picked(loop), None]
    if first is not None:
        what = f"`{first.text}` makes an object of a row in every iteration of `{loop.header}`"
        yield _finding(first, what, tuple([one for one in others if one is not None]))


def _finding(at: Value, what: str, others: tuple[Value, ...]) -> Finding:
    return rule.finding(
        at,
        what,
        "compute with whole columns (`table[column].to_numpy()`); where rows are needed,"
        " `table.itertuples()` or `table.to_dict('records')`",
        framework="torch" if at.framework == "torch" else "numpy",
        related=tuple([one.step("this does, too") for one in others]),
        estimate=0.005,
    )


def _picked(loop: Loop) -> Iterator[Value]:
    """The rows that an iteration picks by a number that goes up with it."""
    for item in loop.values(Kind.ITEM):
        table, index = item.operands
        if Trait.INDEXES_ROWS not in table.traits or index.kind in (Kind.SLICE, Kind.TUPLE):
            continue
        if index.kind is not Kind.COMPARE and index.dependence(loop) is Dependence.VARYING:
            is_innermost = loop.function.loops()
            inner = [one for one in is_innermost if loop in one.outer and one.contains(item)]
            if not inner:
                yield item
