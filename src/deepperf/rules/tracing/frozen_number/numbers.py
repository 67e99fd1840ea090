"""Numbers of Python that compiled code reads from around it, and that change meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import ParameterRole
from deepperf.semantics.query import (
    Call,
    Compilation,
    Dependence,
    Function,
    Kind,
    Loop,
    Number,
    Value,
    number_of,
)

_NUMBERS = ("int", "float")


class Frozen(NamedTuple):
    """Where a compiled function reads a number, and where that changes."""

    read: Value
    change: Value


def frozen(function: Function, compiled: Compilation) -> Iterator[Frozen]:
    """The numbers that a compiled function reads, and that do not stay what they were."""
    for read in function.values(Kind.NAME):
        # What another function binds in a loop is another one while that goes on.
        changes = (one for one in read.bound if _changes(one, function, compiled))
        change = next(changes, None)
        if change is not None:
            yield Frozen(read, change)
    if not function.is_method or not _is_constant(compiled):
        return
    own = function.parameters[:1]
    for read in function.values(Kind.ATTRIBUTE):
        if read.operands[0] not in own:
            continue
        stores = [one for one in read.operands[0].stores(read.data) if one.function != function]
        values = [one.operands[1] for one in stores]
        if not values or not all(map(_is_number, values)):
            continue
        changes = (one for one in stores if _changes(one, function, compiled))
        change = next(changes, None)
        if change is not None:
            yield Frozen(read, change)


def _is_number(value: Value) -> bool:
    if value.kind is Kind.PARAMETER:
        return value.is_array is not True  # a setting that the constructor is passed
    if value.python_type in _NUMBERS:
        return True
    # Arrays times numbers are arrays.
    is_number = number_of(value) is not Number.UNKNOWN
    return is_number and not any(part.is_array for part in value.parts)


def _is_constant(compiled: Compilation) -> bool:
    """Whether what a method's object holds is a constant for the compiler, and no argument."""
    if compiled.framework == "tensorflow":
        return True
    passed = None
    if compiled.op.kind is Kind.CALL and not compiled.calls:
        call = Call(compiled.program, compiled.place)
        passed = call.in_role(ParameterRole.FUNCTION)
    return passed is not None and passed.kind is Kind.ATTRIBUTE


def _changes(stored: Value, function: Function, compiled: Compilation) -> bool:
    """Whether a value that is stored is a number, another one each time, and not compiled anew."""
    setter = stored.function
    value = stored.operands[1] if stored.kind is Kind.SET_ATTRIBUTE else stored
    if setter.name == "__init__" or not _is_number(value) or not _is_new(stored, value):
        return False
    # Whoever compiles behind the change wants the new value.
    return not any(_compiles(loop, function, compiled) for loop in _loops(stored))


def _is_new(stored: Value, value: Value) -> bool:
    loops = _loops(stored)
    if any(value.dependence(loop) is not Dependence.INVARIANT for loop in loops):
        return True
    # `self.rate *= 0.9`, in a function that is called again and again.
    is_own = any(_is_read_of(one, stored) for one in value.parts)
    return value.kind is Kind.BINARY and is_own and bool(stored.function.runs_for or loops)


def _is_read_of(value: Value, stored: Value) -> bool:
    if stored.kind is Kind.SET_ATTRIBUTE:
        is_same = value.kind is Kind.ATTRIBUTE and value.data == stored.data
        return is_same and value.operands[0].source == stored.operands[0].source
    return value.kind is Kind.NAME and value.data in stored.unit.outer_names


def _loops(stored: Value) -> list[Loop]:
    return [loop for loop in stored.function.loops() if loop.contains(stored) and not loop.is_short]


def _compiles(loop: Loop, function: Function, compiled: Compilation) -> bool:
    """Whether a loop compiles a function anew in its iterations, or defines it there."""
    return loop.contains(compiled) or loop.contains(function.definition)
