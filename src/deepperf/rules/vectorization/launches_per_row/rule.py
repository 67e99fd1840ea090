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
_WIDE = 2
"""Slices in an index that leave a part as large as a picture."""
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
    "the rows rest on each other: run the loop on a copy on the host (`.cpu()`), where"
    " nothing is launched, compile it, or write it as a cumulative sum or product"
)


@each_loop
def check_loop(loop: Loop) -> Iterator[Finding]:
    if loop.kind is not LoopKind.ROW or not (_HOT & loop.runs_for or _is_nested(loop)):
        return
    if loop.runs_seldom or loop.is_short:
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
    """What an iteration launches for its row: operations on it, and on what these give."""
    inner = [one for one in loop.function.loops() if loop in one.outer]
    known: set[Value] = set()
    if loop.element is not None and loop.iterable.is_array:
        known |= {loop.element, *loop.element.users}
    found = []
    for value in loop.values(Kind.ITEM, *_KINDS):
        if value.dependence(loop) is Dependence.INVARIANT:
            continue
        if value.kind is Kind.ITEM:
            if value.operands[0] in known or _is_row(value):
                known.add(value)
        elif known.intersection(_taken(value)) and (value.is_array or value.kind is Kind.SET_ITEM):
            known.add(value)
            is_own = value.call is not None and value.call.runs
            if value.is_launched and not is_own and not any(one.contains(value) for one in inner):
                found.append(value)
    return found


def _taken(value: Value) -> list[Value]:
    call = value.call
    if call is None:
        return list(value.operands)
    return [*call.arguments, *([call.receiver] if call.receiver is not None else [])]


def _is_row(item: Value) -> bool:
    """Whether a part of a tensor is small: a row or a number, and no picture or volume."""
    tensor, index = item.operands
    if not tensor.is_array or tensor.residence is not Residence.ACCELERATOR:
        return False
    parts = index.operands if index.kind is Kind.TUPLE else ()
    return sum(part.kind is Kind.SLICE for part in parts) < _WIDE


def _is_recurrence(loop: Loop, work: list[Value]) -> bool:
    """Whether an iteration reads what the one before it computed."""
    if any(head.is_array and head.residence is Residence.ACCELERATOR for head in loop.carried):
        return True
    written = {value.operands[0] for value in work if value.kind is Kind.SET_ITEM}
    return any(value.operands[0] in written for value in loop.values(Kind.ITEM))
