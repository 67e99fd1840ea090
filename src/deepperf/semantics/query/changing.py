"""Numbers of Python that an attribute or a name holds, and that a program changes meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge import words
from deepperf.semantics.dependence.loop_dependence import Dependence
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.query.loop import Loop
from deepperf.semantics.query.numbers import Number, number_of
from deepperf.semantics.query.value import Value

_NUMBERS = ("int", "float")


def changes(read: Value) -> Iterator[Value]:
    """Where an attribute that holds Python numbers alone, as its function reads it, gets another
    one each time; constructors and the function itself left out.
    """
    stores = [one for one in read.operands[0].stores(read.data) if one.function != read.function]
    values = [one.operands[1] for one in stores]
    if values and all(map(is_number, values)):
        yield from (one for one in stores if is_changed_by(one))


def is_number(value: Value) -> bool:
    """Whether a value is a number of Python, a setting that a constructor is passed included."""
    if value.kind is Kind.PARAMETER:
        return value.is_array is not True
    if value.python_type in _NUMBERS:
        return True
    # Arrays times numbers are arrays.
    is_known = number_of(value) is not Number.UNKNOWN
    return is_known and not any(part.is_array for part in value.parts)


def is_changed_by(stored: Value) -> bool:
    """Whether what is stored is a number, and another one each time."""
    value = stored.operands[1] if stored.kind is Kind.SET_ATTRIBUTE else stored
    if stored.function.name == "__init__" or not is_number(value):
        return False
    loops = loops_around(stored)
    if any(value.dependence(loop) is not Dependence.INVARIANT for loop in loops):
        return True
    # `self.rate *= 0.9`, in a function that is called again and again.
    is_repeated = bool(stored.function.runs_for or loops)
    return is_repeated and any(_is_computed_of(one, stored) for one in _candidates(value))


def loops_around(stored: Value) -> list[Loop]:
    """The loops of its function around something, those of a few iterations left out."""
    return [loop for loop in stored.function.loops() if loop.contains(stored) and not loop.is_short]


def _candidates(value: Value) -> tuple[Value, ...]:
    """What a number may be: of `max(floor, rate * decay)` one of both."""
    if value.call is not None and value.call.is_of(*words.ONE_OF_ITS_ARGUMENTS):
        return value.call.arguments
    return (value,)


def _is_computed_of(value: Value, stored: Value) -> bool:
    return value.kind is Kind.BINARY and any(_is_read_of(one, stored) for one in value.parts)


def _is_read_of(value: Value, stored: Value) -> bool:
    if stored.kind is Kind.SET_ATTRIBUTE:
        is_same = value.kind is Kind.ATTRIBUTE and value.data == stored.data
        return is_same and value.operands[0].source == stored.operands[0].source
    return value.kind is Kind.NAME and value.data in stored.unit.outer_names
