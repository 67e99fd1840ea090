"""What kind of number Python computes."""

from __future__ import annotations

import enum

from deepperf.knowledge import words
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.query.call import Call
from deepperf.semantics.query.value import Value

_STEPS = 40
_FEW_VALUES = frozenset(("Mod", "FloorDiv", "Mod=", "FloorDiv="))
_MEETING = (Kind.PHI, Kind.CHOICE, Kind.COMPARE)


class Number(enum.Enum):
    """What kind of number something is."""

    INTEGER = "integer"
    FLOAT = "float"
    UNKNOWN = "unknown"


def number_of(value: Value) -> Number:
    """What kind of number Python computes."""
    return _joined(value, frozenset()) or Number.UNKNOWN


def is_one_of_few(value: Value) -> bool:
    """Whether a number is one of few, or changed now and then."""
    return any(
        part.kind in _MEETING
        or (part.kind is Kind.BINARY and part.data in _FEW_VALUES)
        or (part.call is not None and _is_rounded(part.call))
        for part in value.parts
    )


def _is_rounded(call: Call) -> bool:
    """Whether it makes an integer of a fraction, or one of several: few are left."""
    if number_of(call.result) is not Number.INTEGER or call.runs:
        return False
    given = call.arguments
    return len(given) != 1 or given[0].data == "Div" or number_of(given[0]) is Number.FLOAT


def _joined(value: Value, inside: frozenset[Value]) -> Number | None:
    """As `number_of`; None for what is made of itself, which says nothing."""
    if value in inside:
        return None
    if len(inside) > _STEPS:
        return Number.UNKNOWN
    inside |= {value}
    if value.kind in (Kind.PHI, Kind.CYCLE, Kind.UNARY):
        found = {_joined(one, inside) for one in value.operands if not one.is_missing} - {None}
        return found.pop() if len(found) == 1 else Number.UNKNOWN if found else None
    if value.kind is Kind.BINARY:
        left, right = (_joined(one, inside) for one in value.operands)
        if Number.FLOAT in (left, right):
            return Number.FLOAT
        known = {left, right} - {None}
        if known == {Number.INTEGER}:
            return Number.FLOAT if value.data == "Div" else Number.INTEGER
        return Number.UNKNOWN if known else None
    if value.call is not None and value.call.is_of(*words.ONE_OF_ITS_ARGUMENTS):
        # One of numbers of two kinds may be of either.
        given = {_joined(one, inside) for one in value.call.arguments} - {None}
        return given.pop() if len(given) == 1 else Number.UNKNOWN if given else None
    if value.kind is Kind.PARAMETER:
        return _kind(value) if value.python_type else _of_default(value)
    if value.kind is Kind.ATTRIBUTE and not value.python_type:
        stored = value.operands[0].stores(value.data)
        found = {_joined(one.operands[1], inside) for one in stored} - {None}
        return found.pop() if len(found) == 1 else Number.UNKNOWN if found else None
    if value.call is not None and value.call.runs:
        results = [one for run in value.call.runs for one in run.returned]
        found = {_joined(one, inside) for one in results} - {None}
        # What compilers make gives arrays, and so do arrays times numbers.
        is_compiled = any(run.compiled_itself is not None for run in value.call.runs)
        if is_compiled or any(part.is_array for one in results for part in one.parts):
            return Number.UNKNOWN
        # What gives a fraction in one place gives no array in another.
        if Number.FLOAT in found:
            return Number.FLOAT
        return found.pop() if len(found) == 1 else Number.UNKNOWN
    return _kind(value)


def _of_default(parameter: Value) -> Number:
    """What a parameter is where nothing is passed for it."""
    defaults = [one for one in parameter.operands if one.kind is Kind.CONSTANT]
    return _kind(defaults[0]) if len(defaults) == 1 else Number.UNKNOWN


def _kind(value: Value) -> Number:
    if value.kind is Kind.CONSTANT:
        kinds = {int: Number.INTEGER, float: Number.FLOAT}
        return kinds.get(type(value.constant), Number.UNKNOWN)
    call = value.call
    if call is not None:
        kinds_by_call = ((words.GIVES_FLOAT, Number.FLOAT), (words.GIVES_INTEGER, Number.INTEGER))
        found = next((kind for names, kind in kinds_by_call if call.is_of(*names)), Number.UNKNOWN)
        is_formula = any(fact.name.startswith("math.") for fact in call.facts)
        return Number.FLOAT if is_formula and found is Number.UNKNOWN else found
    # The counter of a loop.
    is_first = value.kind is Kind.PART and value.data == 0
    element = value.operands[0] if is_first else value
    over = element.operands[0].call if element.kind is Kind.ELEMENT else None
    if over is not None and over.is_of("builtins.reversed") and over.arguments:
        over = over.arguments[0].call
    if over is not None and over.is_of("builtins.enumerate" if is_first else "builtins.range"):
        return Number.INTEGER
    kinds_by_name = {"int": Number.INTEGER, "float": Number.FLOAT}
    return kinds_by_name.get(value.python_type, Number.UNKNOWN)
