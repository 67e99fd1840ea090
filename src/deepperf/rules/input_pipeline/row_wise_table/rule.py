"""A loop goes over a table row by row, and makes an object of each."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import Kind, Loop, Value

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
_MUCH = (Trait.RUNS_MODULE, Trait.GENERATES, Trait.INFERS, Trait.ASKS_NETWORK, Trait.LOADS_SAMPLE)
"""Work beside which making an object is little."""


@each_loop
def check(loop: Loop) -> Iterator[Finding]:
    if loop.is_while or loop.is_short or any(loop.calls(*_FOR_PEOPLE)):
        return
    if loop.reaches(*_MUCH):
        return
    rows = loop.iterable.call
    if rows is not None and rows.may_have(Trait.ITERATES_ROWS):
        what = f"`{rows.text}` makes a table's row an object of its own in every iteration"
        yield _finding(rows.result, what, ())
        return
    picked = tuple(_picked(loop))
    if picked:
        what = f"`{picked[0].text}` makes an object of a row in every iteration of `{loop.header}`"
        yield _finding(picked[0], what, picked[1:])


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
    """The rows that an iteration picks of the table whose rows, or labels, it counts."""
    for item in loop.values(Kind.ITEM):
        picker, index = item.operands
        if Trait.INDEXES_ROWS not in picker.traits or picker.kind is not Kind.ATTRIBUTE:
            continue
        if index == loop.element and _counts(loop.iterable, picker.operands[0].source):
            yield item


def _counts(over: Value, table: str) -> bool:
    """Whether a loop goes over the length, or the index, of a table."""
    pending = [over]
    while pending:
        one = pending.pop()
        if one.source == table and one != over:
            return True
        if one.kind in (Kind.CALL, Kind.ATTRIBUTE):
            pending += one.operands
    return False
