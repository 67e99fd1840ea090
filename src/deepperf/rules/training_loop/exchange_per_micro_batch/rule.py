"""Gradients of several batches are summed, and exchanged between processes for each of them."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import (
    Call,
    Cost,
    Guard,
    Iteration,
    Kind,
    Loop,
    LoopKind,
    Value,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="inefficient-data-transmission",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch",),
)

_REMEDY = (
    "run forward and backward of all but the last batch of a step under `{}.no_sync()`: gradients"
    " are then exchanged once"
)

_SKETCH = """\
{header}:
    is_last = ...  # of the batches that `{end}` follows
    with contextlib.nullcontext() if is_last else {model}.no_sync():
        ...  # the forward pass and `{backward}`
"""


@each_loop
def check(loop: Loop) -> Iterator[Finding]:
    way = _each_batch(loop) if loop.kind is LoopKind.STEP else ()
    ends = _rare_ends(loop) if way else []
    if not ends or any(call.file.mentions_any(Trait.DEFERS_EXCHANGE) for call in way):
        return
    model = _joined_model(loop)
    if model is None or any(_is_joined(value) for value in _changed(loop)):
        return
    estimate = share(Cost.EXCHANGE, 1, Iteration.STEP)
    yield rule.finding(
        way[0],
        f"`{way[-1].name}` exchanges all gradients between processes for each batch, though they"
        f" are summed over several until `{ends[0].name}`",
        _REMEDY.format(model.name),
        path=tuple([call.step(f"`{call.name}` is called") for call in way[1:]]),
        related=(ends[0].step(f"`{ends[0].name}` is called once for several batches"),),
        framework="torch",
        sketch=_SKETCH.format(
            header=loop.header, end=ends[0].text, model=model.name, backward=way[-1].text
        ),
        level=level_of(estimate) if _is_several(loop, ends) else Level.NOTE,
        estimate=estimate,
    )


def _each_batch(loop: Loop) -> tuple[Call, ...]:
    """The calls through which each iteration, by itself, computes gradients."""
    for call in loop.calls():
        way = call.way_to(Trait.BACKPROPAGATES) if call.loops[0] == loop else ()
        if way and call.guard(loop) is Guard.UNKNOWN:
            return way
    return ()


def _rare_ends(loop: Loop) -> list[Call]:
    """The calls that clear gradients, if they do in few iterations, or outside of the loop."""
    if any(_is_always(call, loop, Trait.STEPS_OPTIMIZER) for call in loop.calls()):
        return []
    own = [call for call in loop.calls() if call.way_to(Trait.CLEARS_GRADIENTS)]
    if own:
        return [] if any(_is_always(call, loop, Trait.CLEARS_GRADIENTS) for call in own) else own
    outer = next(iter(loop.outer), None)
    if outer is not None:
        return list(outer.calls(Trait.CLEARS_GRADIENTS))
    if "step" not in loop.runs_for:
        return []
    # The loop is a step by itself: its function is called in the loop over these.
    beside = loop.function.calls(Trait.CLEARS_GRADIENTS)
    return [call for call in beside if not loop.contains(call)]


def _is_always(call: Call, loop: Loop, trait: Trait) -> bool:
    way = call.way_to(trait)
    guards = [call.guard(loop), *(inner.guard() for inner in way[1:])]
    return bool(way) and Guard.SELDOM not in guards


def _joined_model(loop: Loop) -> Call | None:
    """The call of a model that each process trains a copy of."""
    for call in loop.calls():
        way = call.way_to(Trait.RUNS_MODULE)
        if way and _is_joined(way[-1].callee):
            return way[-1]
    return None


def _is_joined(model: Value) -> bool:
    return any(maker.has(Trait.JOINS_PROCESSES) for maker in model.makers)


def _changed(loop: Loop) -> Iterator[Value]:
    """What each batch sets an attribute of: by a switch, too, exchanges can be put off."""
    for value in loop.values(Kind.SET_ATTRIBUTE):
        yield value.operands[0]


def _is_several(loop: Loop, ends: list[Call]) -> bool:
    """Whether a constant says that a step takes more than one batch."""
    count = loop.trip_count or loop.implied_count
    if count is not None:
        return count > 1
    periods = [p for end in ends for test in end.conditions for p in _periods(test)]
    return any(isinstance(period, int) and period > 1 for period in periods)


def _periods(test: Value) -> Iterator[object]:
    pending = [test]
    while pending:
        value = pending.pop()
        if value.kind is Kind.BINARY and value.data == "Mod":
            yield value.operands[1].constant
        elif value.kind in (Kind.LOGIC, Kind.COMPARE, Kind.UNARY):
            pending += value.operands
