"""The number that gives an array its length, where it is another one each time."""

from __future__ import annotations

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.query import (
    Call,
    Dependence,
    Kind,
    Number,
    Repeated,
    Value,
    is_one_of_few,
    number_of,
)

_SEQUENCES = (Kind.TUPLE, Kind.LIST)


def end_of(item: Value, around: Repeated) -> Value | None:
    """The one end of a slice that moves while the other stays."""
    index = item.operands[1]
    for part in index.operands if index.kind is Kind.TUPLE else (index,):
        if part.kind is Kind.SLICE:
            moving = [
                end for end in part.operands[:2] if not end.is_missing and is_counted(end, around)
            ]
            others = [end for end in part.operands[:2] if end not in moving]
            if len(moving) == 1 and not any(around.is_new(one) for one in others):
                return moving[0]
    return None


def size_of(made: Call, around: Repeated) -> Value | None:
    """The size, of those that an array is made with, that is another one each time."""
    shape = made.in_role(ParameterRole.SHAPE)
    sizes: tuple[Value, ...] = ()
    if shape is not None:
        sizes = shape.operands if shape.kind in _SEQUENCES else (shape,)
        if made.arguments[:1] == (shape,) and shape.kind not in _SEQUENCES:
            sizes = made.arguments[: len(made.arguments) - len(made.keywords)]
    elif made.has(Trait.COUNTS_UP):
        first = made.arguments[: min(2, len(made.arguments) - len(made.keywords))]
        moving = [one for one in first if around.is_new(one)]
        sizes = tuple(moving) if len(moving) == 1 else ()
    return next((size for size in sizes if is_counted(size, around)), None)


def is_counted(value: Value, around: Repeated) -> bool:
    """Whether a number counts with the iterations, or is drawn anew in each: seldom one of few."""
    if value.kind is Kind.PARAMETER and around.call is not None and around.outer is not None:
        given = around.call.passed_for(around.function, value.data)
        return given is not None and is_counted(given, around.outer)
    loop = around.loop
    if loop is None or value.is_array or is_one_of_few(value):
        return False
    inside = (part.call for part in value.parts if loop.contains(part))
    calls = [one for one in inside if one is not None]
    if calls:
        return all(one.has(Trait.RANDOM) for one in calls)
    is_same = value.dependence(loop) in (Dependence.INVARIANT, Dependence.UNKNOWN)
    return not is_same and number_of(value) is Number.INTEGER
