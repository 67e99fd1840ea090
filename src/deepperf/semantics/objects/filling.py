"""What is put into a list or dict after it is made, wherever its function, module or class says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.semantics.ir.table import UNBOUND, Kind, Unit
from deepperf.semantics.objects.classes import is_own
from deepperf.semantics.program.program import Program

GROWING = {"append": 1, "add": 1, "insert": 2, "appendleft": 1}


class Put(NamedTuple):
    """One operation's result that is put into a container, under a key or under none."""

    unit: Unit
    key: int
    value: int


def puts(program: Program, unit: Unit, index: int) -> Iterator[Put]:
    """All that is put into the container that an operation makes."""
    for owner, handle in handles(program, unit, index):
        for user in owner.uses(handle):
            op = owner.ops[user]
            if op.kind is Kind.SET_ITEM and op.args[0] == handle:
                yield Put(owner, op.args[1], op.args[2])
            elif op.kind is Kind.ATTRIBUTE and op.data in GROWING:
                yield from _appended(owner, user, GROWING[op.data])


def _appended(unit: Unit, method: int, position: int) -> Iterator[Put]:
    for call in unit.uses(method):
        op = unit.ops[call]
        is_called = op.kind is Kind.CALL and op.args[0] == method
        if is_called and position < len(op.args):
            yield Put(unit, UNBOUND, op.args[position])


def handles(program: Program, unit: Unit, index: int) -> Iterator[tuple[Unit, int]]:
    """Where the container is at hand: itself, its variable elsewhere, the attribute it is in."""
    yield unit, index
    for name, bound in unit.bindings.items():
        if index in bound:
            yield from read_elsewhere(program, unit, name)
    for user in unit.uses(index):
        op = unit.ops[user]
        if op.kind is Kind.SET_ATTRIBUTE and op.args[1] == index and is_own(unit, op.args[0]):
            yield from _read_of_object(program, unit, op.data)


def read_elsewhere(program: Program, unit: Unit, name: str) -> Iterator[tuple[Unit, int]]:
    """Where other functions of the file read a variable of a function, or of the file."""
    is_global = unit.kind == "module"  # any function of the file may fill it
    units = program.table(unit.path).units if is_global else program.units(unit.path)
    for place in program.uses_of(name, unit.path):
        reader = units[place[1]]
        if reader.ops[place[2]].kind is Kind.NAME and _means(units, reader, name, unit):
            yield reader, place[2]


def _means(units: list[Unit], reader: Unit, name: str, scope: Unit) -> bool:
    """Whether a name that a function reads is the variable of a certain scope."""
    number = 0 if name in reader.outer_names else reader.parent
    while number > 0 and (units[number].kind == "class" or name not in units[number].bindings):
        number = units[number].parent
    return number == scope.number


def _read_of_object(program: Program, unit: Unit, name: str) -> Iterator[tuple[Unit, int]]:
    units = program.units(unit.path)
    for place in program.uses_of(name, unit.path):
        reader = units[place[1]]
        op = reader.ops[place[2]]
        same = reader.parent == unit.parent and op.kind is Kind.ATTRIBUTE
        if same and is_own(reader, op.args[0]):
            yield reader, place[2]
