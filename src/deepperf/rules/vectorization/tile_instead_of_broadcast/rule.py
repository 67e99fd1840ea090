"""A tensor is copied along an axis that an operator would stretch by itself."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import MISSING, Call, Kind, Value

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution", "out-of-memory"),
    stage="model-building",
    level=Level.NOTE,
    frameworks=("torch",),
)

_OPERATORS = frozenset(("Add", "Sub", "Mult", "Div"))


@each_call(Trait.TILES)
def check_call(call: Call) -> Iterator[Finding]:
    axis = _new_axis(call.receiver) if call.receiver is not None else None
    if axis is None or not _tiles_only(call, axis):
        return
    readers = call.result.readers
    if len(readers) != 1 or readers[0].kind is not Kind.BINARY:
        return
    operator = readers[0]
    others = [operand for operand in operator.operands if operand != call.result]
    if operator.data in _OPERATORS and others and all(_is_whole(other) for other in others):
        yield rule.finding(
            call,
            f"`{call.text}` copies what `{operator.text}` would broadcast",
            "leave the copies out: an operator stretches an axis of length one without them",
            fix=_fix(call),
            related=(operator.step("the only operation that reads the copies"),),
            estimate=0.005,
        )


def _new_axis(value: Value) -> int | None:
    """The place of the axis of length one that a tensor was just given."""
    call = value.call
    if call is None or not call.has(Trait.ADDS_AXIS) or call.receiver is None:
        return None
    place = call.arguments[0].constant if len(call.arguments) == 1 else MISSING
    return place if type(place) is int and place >= 0 else None


def _tiles_only(call: Call, axis: int) -> bool:
    """Whether nothing but one axis is made longer."""
    counts = [argument.constant for argument in call.arguments]
    if call.keywords or axis >= len(counts) or counts[axis] == 1:
        return False
    return all(count == 1 for place, count in enumerate(counts) if place != axis)


def _is_whole(value: Value) -> bool:
    """Whether a tensor has the length of the copies itself: it is no number, nor has a new axis."""
    return bool(value.is_array) and _new_axis(value) is None


def _fix(call: Call) -> Fix | None:
    if call.receiver is None:
        return None
    edit = Edit(call.receiver.span[1], call.span[1], "")
    return Fix("leave the copies out", (edit,), Safety.UNSAFE)
