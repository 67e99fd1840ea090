"""A tensor is copied along an axis that an operator would stretch by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepperf.fixes.arguments import argument_text
from deepperf.fixes.statements import delete_statement
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
    frameworks=("torch", "tensorflow"),
)

_OPERATORS = frozenset(("Add", "Sub", "Mult", "Div"))


@each_call(Trait.TILES)
def check_call(call: Call) -> Iterator[Finding]:
    tiled, *counts = _operands(call) or (None,)
    axis = _new_axis(tiled) if tiled is not None else None
    if axis is None or not _tiles_only(call, counts, axis):
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


def _operands(call: Call) -> tuple[Value, ...]:
    """The tensor of which a method or function is called, and the other arguments."""
    receiver = call.receiver
    is_method = receiver is not None and receiver.is_array is not False
    given = (receiver, *call.arguments) if receiver is not None and is_method else call.arguments
    if len(given) == 2 and given[1].kind in (Kind.LIST, Kind.TUPLE):
        return (given[0], *given[1].operands)
    return given


def _new_axis(value: Value) -> int | None:
    """The place of the axis of length one that a tensor was just given."""
    call = value.call
    if call is None or not call.has(Trait.ADDS_AXIS):
        return None
    given = _operands(call)
    place = given[1].constant if len(given) == 2 else MISSING
    return place if type(place) is int and place >= 0 else None


def _tiles_only(call: Call, counts: list[Value], axis: int) -> bool:
    """Whether nothing but one axis is made longer."""
    numbers = [count.constant for count in counts]
    if call.keywords or axis >= len(numbers) or numbers[axis] == 1:
        return False
    return all(number == 1 for place, number in enumerate(numbers) if place != axis)


def _is_whole(value: Value) -> bool:
    """Whether a tensor has the length of the copies itself: it is no number, nor has a new axis."""
    return bool(value.is_array) and _new_axis(value) is None


def _fix(call: Call) -> Fix | None:
    """What is tiled, as it is written: the object of the method, or the first argument."""
    receiver = call.receiver
    tiled = argument_text(call.file_text, *call.span, 0)
    if receiver is not None and receiver.is_array is not False:
        is_here = call.span[0] <= receiver.span[0] and receiver.span[1] <= call.span[1]
        tiled = receiver.source if is_here else call.name.rpartition(".")[0]
    if not tiled:
        return None
    start, end = call.span
    target = re.search(rf"(?<![\w.]){re.escape(tiled)}\s*=\s*\Z", call.file_text[:start])
    deleted = delete_statement(call.file_text, target.start(), end) if target else None
    edit = deleted or Edit(start, end, tiled)
    return Fix("leave the copies out", (edit,), Safety.UNSAFE)
