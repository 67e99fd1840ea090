"""Whether a value is the same whenever its function runs."""

from __future__ import annotations

from deepperf.semantics.ir.table import UNBOUND, Kind, Unit
from deepperf.semantics.objects.classes import stores
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program

_MADE_OF = frozenset(
    (Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT, Kind.UNARY, Kind.BINARY, Kind.CONSTANT)
)


def is_settled(program: Program, place: Place) -> bool:
    """Whether it is made of literals, module constants and what constructors alone set."""
    return place[2] != UNBOUND and program.answers.ask(_is_settled, *place, bottom=False)


def _is_settled(program: Program, path: str, number: int, index: int) -> bool:
    unit = program.unit((path, number))
    op = unit.ops[index]
    if op.kind is Kind.NAME:
        return _is_module_constant(program, unit, op.data)
    if op.kind is Kind.ATTRIBUTE:
        return _is_set_by_constructors(program, unit, op.args[0], op.data)
    return op.kind in _MADE_OF and all(is_settled(program, (path, number, a)) for a in op.args)


def _is_module_constant(program: Program, unit: Unit, name: str) -> bool:
    """Whether a name is bound once, in the module, to literals."""
    module = program.units(unit.path)[0]
    bound = module.bindings.get(name, [])
    return len(bound) == 1 and is_settled(program, (*module.key, bound[0]))


def _is_set_by_constructors(program: Program, unit: Unit, owner: int, name: str) -> bool:
    held = holds(program, (*unit.key, owner))
    if not held or any(origin.what is not What.INSTANCE for origin in held):
        return False
    places = [place for origin in held for place in stores(program, origin.place[:2], name)]
    return bool(places) and all(program.unit(place[:2]).name == "__init__" for place in places)
