"""Which integer an expression is, where constants of the project tell."""

from __future__ import annotations

import operator
from collections.abc import Callable

from deepperf.semantics.ir.table import UNBOUND, Kind, Unit
from deepperf.semantics.objects.fields import settings
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program

_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
}


def integer(program: Program, place: Place) -> int | None:
    """The integer that an expression is; of a parameter what callers pass, or its default.

    None where it is not known, or not always the same.
    """
    return None if place[2] == UNBOUND else program.answers.ask(_integer, *place, bottom=None)


def _integer(program: Program, path: str, number: int, index: int) -> int | None:
    unit = program.unit((path, number))
    op = unit.ops[index]
    if op.kind is Kind.CONSTANT:
        return op.data if type(op.data) is int else None
    if op.kind is Kind.NAME:
        return _of_name(program, unit, op.data)
    if op.kind is Kind.ATTRIBUTE:
        return _of_attribute(program, unit, op.args[0], op.data)
    if op.kind is Kind.PARAMETER:
        return _of_parameter(program, unit, index)
    if op.kind is Kind.BINARY and op.data in _ARITHMETIC:
        left, right = (integer(program, (path, number, operand)) for operand in op.args)
        return None if left is None or right is None else _ARITHMETIC[op.data](left, right)
    return None


def _of_name(program: Program, unit: Unit, name: str) -> int | None:
    """The integer that a name of the module, or of a function around, is bound to once."""
    for outer in _around(program, unit):
        bound = outer.bindings.get(name, [])
        if bound:
            return integer(program, (*outer.key, bound[0])) if len(bound) == 1 else None
    return None


def _around(program: Program, unit: Unit) -> list[Unit]:
    units = program.table(unit.path).units
    found = []
    while unit.parent >= 0:
        unit = units[unit.parent]
        if unit.kind != "class":
            found.append(unit)
    return found


def _of_attribute(program: Program, unit: Unit, owner: int, name: str) -> int | None:
    """The integer that an attribute of a class's instances is always set to."""
    held = holds(program, (*unit.key, owner))
    found: set[int | None] = set()
    for origin in held:
        if origin.what not in (What.INSTANCE, What.CLASS):
            return None
        places = settings(program, origin.place[:2], name)
        if places is None:
            return None
        found.update(integer(program, place) for place in places)
    return found.pop() if len(found) == 1 else None


def _of_parameter(program: Program, unit: Unit, index: int) -> int | None:
    from deepperf.semantics.callgraph.calls import arguments_for

    op = unit.ops[index]
    passed = {
        integer(program, place)
        for place in arguments_for(program, unit.key, op.data)
        if place[2] != UNBOUND
    }
    if passed:
        return passed.pop() if len(passed) == 1 else None
    return integer(program, (*unit.key, op.args[1]))
