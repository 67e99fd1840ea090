"""Whether anything reads what a variable is assigned."""

from __future__ import annotations

from deepperf.semantics.ir.table import Block, Kind, Unit
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program

_THROUGH = frozenset((Kind.PHI, Kind.CYCLE))
_BY_NAME = frozenset(("locals", "vars", "eval", "exec", "globals", "breakpoint"))
"""Builtins that read variables which nobody names."""


def is_unread(program: Program, place: Place) -> bool:
    """Whether a local variable is assigned it, and nothing reads the variable before its end.

    False where it may be read unseen, by a function inside, or by its name in a text.
    """
    unit, index = program.unit(place[:2]), place[2]
    names = [name for name, bound in unit.bindings.items() if index in bound]
    if unit.kind != "function" or not names or not unit.outer_names.isdisjoint(names):
        return False
    if _is_taken(unit, index) or not _named(unit).isdisjoint(_BY_NAME):
        return False
    return not any(_named(inner) & set(names) for inner in _inside(program, unit))


def is_tried(program: Program, place: Place) -> bool:
    """Whether a `try` stands around it, which may ask whether it can be computed at all."""
    unit = program.unit(place[:2])
    regions = unit.around(unit.ops[place[2]].region)
    return any(unit.regions[region].block is Block.TRY for region in regions)


def _is_taken(unit: Unit, index: int) -> bool:
    """Whether an operation takes it, also by variables in which several values meet."""
    pending, seen = [index], {index}
    while pending:
        for user in unit.uses(pending.pop()):
            if unit.ops[user].kind not in _THROUGH:
                return True
            if user not in seen:
                seen.add(user)
                pending.append(user)
    return False


def _named(unit: Unit) -> set[str]:
    """The names that it reads of those around it."""
    return {op.data for op in unit.ops if op.kind is Kind.NAME}


def _inside(program: Program, unit: Unit) -> list[Unit]:
    """The functions, lambdas and classes in a function, at any depth."""
    found, numbers = list[Unit](), {unit.number}
    for other in program.units(unit.path):  # a unit comes after the one that it stands in
        if other.parent in numbers:
            numbers.add(other.number)
            found.append(other)
    return found
