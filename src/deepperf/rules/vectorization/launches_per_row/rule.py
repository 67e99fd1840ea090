"""A Python loop over the rows of a tensor launches small operations for each of them."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import (
    Cost,
    Dependence,
    Iteration,
    Kind,
    Loop,
    LoopKind,
    Residence,
    Value,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="missed-batch-api",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)

_ROWS = 32
"""The rows that are assumed: mostly the samples of a batch, the tokens of a text or steps."""
_LEAST = 2
"""Fewer launches in an iteration are one operation, which may be as large as one for all rows."""
_HOT = frozenset(("step", "batch", "token", "request"))
_MODEL = (
    Trait.RUNS_MODULE,
    Trait.GENERATES,
    Trait.BACKPROPAGATES,
    Trait.STEPS_OPTIMIZER,
    Trait.STEPS_CELL,
)
_KINDS = (Kind.CALL, Kind.BINARY, Kind.COMPARE, Kind.UNARY, Kind.SET_ITEM)
_AT_ONCE = (
    "compute all rows at once, with broadcasting along a further axis, `torch.gather`,"
    " `torch.where` or a mask"
)
_IN_ORDER = (
    "the rows rest on each other: run the loop on a copy on the host (`.cpu()`), where an operation"
    " costs a tenth, compile it, or write it as a cumulative sum or product"
)


@each_loop
def check_loop(loop: Loop) -> Iterator[Finding]:
    if loop.kind is not LoopKind.ROW or not (_HOT & loop.runs_for or _is_nested(loop)):
        return
    if "seldom" in loop.runs_for or loop.is_short:
        return
    work = _work(loop)
    if len(work) < _LEAST or loop.reaches(*_MODEL) or loop.waits:
        return
    estimate = share(Cost.LAUNCH, len(work) * _ROWS, Iteration.STEP)
    if level_of(estimate) is None:
        return
    first = work[0]
    yield rule.finding(
        loop,
        f"each iteration of `{loop.header}` launches {len(work)} small operations for one row:"
        f" `{first.text}`",
        _IN_ORDER if _is_recurrence(loop, work) else _AT_ONCE,
        framework="torch",
        level=Level.NOTE,
        related=tuple([value.step(f"`{value.text}`") for value in work]),
        estimate=estimate,
    )


def _is_nested(loop: Loop) -> bool:
    """Whether it goes over the columns of each row."""
    return any(outer.kind is LoopKind.ROW for outer in loop.outer)


def _work(loop: Loop) -> list[Value]:
    """What an iteration launches, once for its row."""
    inner = [one for one in loop.function.loops() if loop in one.outer]
    return [
        value
        for value in loop.values(*_KINDS)
        if value.dependence(loop) is not Dependence.INVARIANT
        and (value.kind is Kind.SET_ITEM or value.is_array)
        and value.is_launched
        and not any(one.contains(value) for one in inner)
        and (value.call is None or not value.call.runs)
    ]


def _is_recurrence(loop: Loop, work: list[Value]) -> bool:
    """Whether an iteration reads what the one before it computed."""
    if any(head.is_array and head.residence is Residence.ACCELERATOR for head in loop.carried):
        return True
    written = {value.operands[0] for value in work if value.kind is Kind.SET_ITEM}
    return any(value.operands[0] in written for value in loop.values(Kind.ITEM))
