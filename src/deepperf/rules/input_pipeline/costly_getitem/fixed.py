"""Whether a value is the same for all samples of a data set."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import Call, Kind, Value

_MADE_OF_PARTS = frozenset((Kind.ATTRIBUTE, Kind.BINARY, Kind.FORMAT, Kind.ITEM, Kind.ENTER))
_THROUGH = frozenset((Trait.PURE, Trait.OPENS_HANDLE))


def is_fixed(value: Value, callers: tuple[Call, ...]) -> bool:
    """Whether it is made of the object's attributes and constants alone.

    `callers` are the calls that led to its function, the outermost first.
    """
    kind = value.kind
    if kind in (Kind.CONSTANT, Kind.NAME):
        return True
    if kind is Kind.PARAMETER:
        return _is_fixed_parameter(value, callers)
    if kind is Kind.CALL:
        call = value.call
        known = call is not None and call.has(*_THROUGH) and bool(call.arguments)
        return known and all(is_fixed(part, callers) for part in value.operands)
    if kind is Kind.ATTRIBUTE and _is_set(value):
        return False
    return kind in _MADE_OF_PARTS and all(is_fixed(part, callers) for part in value.operands)


def _is_fixed_parameter(value: Value, callers: tuple[Call, ...]) -> bool:
    function = value.function
    is_method = function.is_method
    if value.data == 0 and is_method:
        return True
    if not callers:
        return False
    passed = callers[-1].argument(function.parameter_names[value.data], value.data - is_method)
    return passed is not None and is_fixed(passed, callers[:-1])


def _is_set(value: Value) -> bool:
    """Whether its function gives the attribute another value."""
    return any(one.data == value.data for one in value.function.values(Kind.SET_ATTRIBUTE))
