"""Fields of classes that list them in their body, and have no constructor of their own."""

from __future__ import annotations

from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.origin import NOTHING, Held, Origin, UnitKey, What
from deepperf.semantics.program.program import Parameters, Program

_DEFINED = (Kind.FUNCTION, Kind.CLASS)
_MADE = ("__init__", "__new__")


def field_of(program: Program, owner: UnitKey, call: Unit, op: Op, index: int) -> str | None:
    """The field that an operand of a call of a class becomes; None where that can't be told."""
    from deepperf.semantics.objects.classes import line

    bodies = [program.unit(key) for key in line(program, owner)]
    if any(name in body.bindings for body in bodies for name in _MADE):
        return None
    at = op.args.index(index)
    keyword = at - (len(op.args) - len(op.data))
    if any(call.ops[operand].kind is Kind.STAR for operand in op.args[1:at]):
        return None
    if keyword >= 0:
        name = op.data[keyword]
        return name if any(name in body.bindings for body in bodies) else None
    names = _listed(bodies)
    return names[at - 1] if at <= len(names) else None


def functions_in(program: Program, owner: UnitKey, name: str) -> Held:
    """The functions that the calls which make instances of a class are seen to pass for a field."""
    from deepperf.semantics.callgraph.calls import constructed
    from deepperf.semantics.objects.classes import line
    from deepperf.semantics.objects.holds import holds

    bodies = [program.unit(key) for key in line(program, owner)]
    is_listed = any(UNBOUND in body.bindings.get(name, ()) for body in bodies)
    if program.parameters is not Parameters.EXPANDED or not is_listed:
        return NOTHING
    found: set[Origin] = set()
    for call in constructed(program, owner):
        unit = program.unit(call[:2])
        op = unit.ops[call[2]]
        for index in op.args[1:]:
            if field_of(program, owner, unit, op, index) == name:
                found |= holds(program, (*unit.key, index))
    return frozenset(origin for origin in found if origin.what in (What.FUNCTION, What.BOUND))


def _listed(bodies: list[Unit]) -> list[str]:
    """The annotated names of classes, the last first, up to one that may be no field."""
    found: list[str] = []
    for body in reversed(bodies):
        for name, bound in body.bindings.items():
            if all(index != UNBOUND and body.ops[index].kind in _DEFINED for index in bound):
                continue
            if UNBOUND not in bound:
                return found
            found.append(name)
    return found
