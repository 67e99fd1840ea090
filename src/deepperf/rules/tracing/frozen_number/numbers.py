"""Numbers of Python that compiled code reads from around it, and that change meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import ParameterRole
from deepperf.semantics.query import (
    Call,
    Compilation,
    Function,
    Kind,
    Loop,
    Value,
    changes,
    is_changed_by,
    loops_around,
)


class Frozen(NamedTuple):
    """Where a compiled function reads a number, and where that changes."""

    read: Value
    change: Value


def frozen(function: Function, compiled: Compilation) -> Iterator[Frozen]:
    """The numbers that a compiled function reads, and that do not stay what they were."""
    for read in function.values(Kind.NAME):
        # What another function binds in a loop is another one while that goes on.
        found = (one for one in read.bound if is_changed_by(one))
        change = next((one for one in found if _is_late(one, function, compiled)), None)
        if change is not None:
            yield Frozen(read, change)
    if not function.is_method or not _is_constant(compiled):
        return
    own = function.parameters[:1]
    for read in function.values(Kind.ATTRIBUTE):
        if read.operands[0] in own:
            found = (one for one in changes(read) if _is_late(one, function, compiled))
            change = next(found, None)
            if change is not None:
                yield Frozen(read, change)


def _is_constant(compiled: Compilation) -> bool:
    """Whether what a method's object holds is a constant for the compiler, and no argument."""
    if compiled.framework == "tensorflow":
        return True
    passed = None
    if compiled.op.kind is Kind.CALL and not compiled.calls:
        call = Call(compiled.program, compiled.place)
        passed = call.in_role(ParameterRole.FUNCTION)
    return passed is not None and passed.kind is Kind.ATTRIBUTE


def _is_late(stored: Value, function: Function, compiled: Compilation) -> bool:
    """Whether nothing is compiled anew behind a change: whoever does that wants the new value."""
    return not any(_compiles(loop, function, compiled) for loop in loops_around(stored))


def _compiles(loop: Loop, function: Function, compiled: Compilation) -> bool:
    """Whether a loop compiles a function anew in its iterations, or defines it there."""
    return loop.contains(compiled) or loop.contains(function.definition)
