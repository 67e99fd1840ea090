"""A tensor is copied along an axis that an operator would stretch by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepperf.fixes.arguments import argument_text
from deepperf.fixes.statements import delete_statement
from deepperf.knowledge.schema import Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Kind, Value

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution", "out-of-memory"),
    stage="model-building",
    level=Level.NOTE,
    frameworks=("torch", "tensorflow"),
)

_OPERATORS = frozenset(("Add", "Sub", "Mult", "Div"))
_NUMBERS = 4
"""Numbers that are added to copies, or multiplied with them, before a tensor is."""


@each_call(Trait.TILES)
def check_call(call: Call) -> Iterator[Finding]:
    tiled, *counts = _operands(call) or (None,)
    axes = _new_axes(tiled) if tiled is not None else frozenset[int]()
    if not axes or not _tiles_only(call, counts, axes):
        return
    copies, operator = _reader(call.result)
    if operator is None:
        return
    others = [operand for operand in operator.operands if operand != copies]
    if others and all(_is_whole(other, counts) for other in others):
        yield rule.finding(
            call,
            f"`{call.text}` copies what `{operator.text}` would broadcast",
            "leave the copies out: an operator stretches an axis of length one without them",
            fix=_fix(call),
            related=(operator.step("the only operation that reads the copies"),),
            estimate=0.005,
        )


def _reader(copies: Value) -> tuple[Value, Value | None]:
    """The only operator between copies and another tensor, numbers aside, and what it reads."""
    for _ in range(_NUMBERS):
        readers = copies.readers
        if len(readers) != 1 or readers[0].kind is not Kind.BINARY:
            break
        operator = readers[0]
        if operator.data not in _OPERATORS:
            break
        others = [operand for operand in operator.operands if operand != copies]
        if not others or not all(isinstance(one.constant, int | float) for one in others):
            return copies, operator
        copies = operator
    return copies, None


def _operands(call: Call) -> tuple[Value, ...]:
    """The tensor of which a method or function is called, and the other arguments."""
    receiver = call.receiver
    is_method = receiver is not None and receiver.is_array is not False
    given = (receiver, *call.arguments) if receiver is not None and is_method else call.arguments
    if len(given) == 2 and given[1].kind in (Kind.LIST, Kind.TUPLE):
        return (given[0], *given[1].operands)
    return given


def _new_axes(value: Value) -> frozenset[int]:
    """The places of the axes of length one that a tensor was just given."""
    if value.kind is Kind.ITEM:
        return _indexed_axes(value.operands[1])
    call = value.call
    if call is None:
        return frozenset()
    if call.has(Trait.REDUCES):
        kept = call.argument("keepdims") or call.argument("keepdim")
        axis = call.argument("axis") or call.argument("dim") or (_operands(call) + (None,) * 2)[1]
        is_kept = kept is not None and kept.constant is True
        return _places(axis) if is_kept and axis is not None else frozenset()
    given = _operands(call)
    if not call.has(Trait.ADDS_AXIS) or len(given) != 2:
        return frozenset()
    (place,) = _places(given[1]) or (None,)
    before = _new_axes(given[0])
    if place is None or not before:
        return frozenset() if place is None else frozenset((place,))
    return frozenset((place, *(one + (one >= place) for one in before)))


def _places(axis: Value) -> frozenset[int]:
    place = axis.constant
    return frozenset((place,)) if type(place) is int and place >= 0 else frozenset()


def _indexed_axes(index: Value) -> frozenset[int]:
    """The axes that an index makes: 1 and 2 of `[:, None, None, :]`."""
    found = set[int]()
    for place, part in enumerate(index.operands if index.kind is Kind.TUPLE else (index,)):
        if part.constant is None:
            found.add(place)
        elif part.kind is not Kind.SLICE:
            break
    return frozenset(found)


def _tiles_only(call: Call, counts: list[Value], axes: frozenset[int]) -> bool:
    """Whether nothing but axes of length one are made longer."""
    numbers = [count.constant for count in counts]
    if call.keywords or max(axes) >= len(numbers) or all(numbers[axis] == 1 for axis in axes):
        return False
    return all(number == 1 for place, number in enumerate(numbers) if place not in axes)


def _is_whole(value: Value, counts: list[Value]) -> bool:
    """Whether a tensor has the length of the copies itself: it is no number, nor has a new axis."""
    if _new_axes(value):
        return False
    if value.kind is Kind.BINARY and value.data in _OPERATORS:
        return any(_is_whole(part, counts) for part in value.operands)
    return bool(value.is_array) or any(_is_size_of(count, value) for count in counts)


def _is_size_of(count: Value, whole: Value) -> bool:
    """Whether a number of copies is a length of something: `x.shape[1]`."""
    shape = count.operands[0] if count.kind is Kind.ITEM else count
    return shape.kind is Kind.ATTRIBUTE and shape.data == "shape" and shape.operands[0] == whole


def _fix(call: Call) -> Fix | None:
    """What is tiled, as it is written: the object of the method, or the first argument."""
    receiver = call.receiver
    tiled = argument_text(call.file_text, *call.span, 0)
    if receiver is not None and receiver.is_array is not False:
        tiled = receiver.source if call.encloses(receiver) else call.name.rpartition(".")[0]
    if not tiled:
        return None
    start, end = call.span
    target = re.search(rf"(?<![\w.]){re.escape(tiled)}\s*=\s*\Z", call.file_text[:start])
    deleted = delete_statement(call.file_text, target.start(), end) if target else None
    edit = deleted or Edit(start, end, tiled)
    return Fix("leave the copies out", (edit,), Safety.UNSAFE)
