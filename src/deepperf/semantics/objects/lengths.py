"""How many elements a list, `range` or new array has, where constants of the project tell."""

from __future__ import annotations

from collections.abc import Sequence

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.filling import puts
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.literals import integer
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program

_SAME = frozenset(("builtins.list", "builtins.tuple", "builtins.sorted", "builtins.reversed"))
_DISPLAYS = frozenset((Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT))
_MOST_BOUNDS = 3
_SHAPED = frozenset((Trait.CREATES_ARRAY, Trait.DRAWS))


def length(program: Program, place: Place) -> int | None:
    """How many elements iterating over an expression gives, over what callers pass.

    None where it is not known, or not always the same.
    """
    return None if place[2] == UNBOUND else program.answers.ask(_length, place, bottom=None)


def _length(program: Program, path: str, number: int, index: int) -> int | None:
    place = (path, number, index)
    unit = program.unit((path, number))
    op = unit.ops[index]
    if op.kind in _DISPLAYS:
        starred = any(unit.ops[part].kind is Kind.STAR for part in op.args)
        # What comes of a list by `+` or `*` is told apart from it nowhere else.
        joined = any(one.kind is Kind.BINARY and index in one.args for one in unit.ops)
        return None if starred or joined or any(puts(program, unit, index)) else len(op.args)
    if op.kind is Kind.CALL and len(op.args) > 1:
        callee = holds(program, (path, number, op.args[0]))
        names = {origin.name for origin in callee}
        operands = [(path, number, operand) for operand in op.args[1:]]
        if names == {"builtins.range"}:
            return range_length([integer(program, operand) for operand in operands])
        if len(names) == 1 and names <= _SAME:
            return length(program, operands[0])
        return _rows(program, unit, op, names.pop()) if len(names) == 1 else None
    made = {
        origin.place if origin.what is What.CONTAINER and len(origin.place) > 2 else None
        for origin in holds(program, place)
    }
    lengths = {None if one is None or one == place else length(program, one) for one in made}
    return lengths.pop() if len(lengths) == 1 else None


def _rows(program: Program, unit: Unit, op: Op, name: str) -> int | None:
    """The first axis of the array that a library's callable makes in a shape it is given."""
    fact = program.fact(name)
    if fact is None or fact.traits.isdisjoint(_SHAPED):
        return None
    shape = next((one for one in fact.parameters if one.role is ParameterRole.SHAPE), None)
    if shape is None:
        return None
    positional = op.args[1 : len(op.args) - len(op.data)]
    if any(unit.ops[operand].kind is Kind.STAR for operand in positional) or "**" in op.data:
        return None
    if shape.name in op.data:
        given = op.args[len(positional) + 1 + op.data.index(shape.name)]
    elif shape.position is not None and shape.position < len(positional):
        given = positional[shape.position]
    else:
        default = shape.default or ""
        return int(default) if default.isdecimal() else None
    first = unit.ops[given]
    if first.kind in (Kind.TUPLE, Kind.LIST):
        given = first.args[0] if first.args else UNBOUND
    return integer(program, (*unit.key, given))


def range_length(bounds: Sequence[int | None]) -> int | None:
    """How many numbers a `range` of these arguments has; None where one is not known."""
    known = [bound for bound in bounds if bound is not None]
    if len(known) != len(bounds) or not 1 <= len(known) <= _MOST_BOUNDS or known[2:] == [0]:
        return None
    start, stop, step = (0, *known, 1) if len(known) == 1 else (*known, 1)[:3]
    return max(0, -((start - stop) // step))  # `len` of a range has a limit
