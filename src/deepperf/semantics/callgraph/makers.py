"""The calls that made a value: over variables, parameters and attributes."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.semantics.callgraph.calls import arguments_for
from deepperf.semantics.ir.table import UNBOUND, Kind
from deepperf.semantics.objects.classes import stores
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.names import places_bound
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program


def makers(program: Program, start: Place) -> tuple[Place, ...]:
    """The calls whose result a value may be."""
    found: dict[Place, None] = {}
    pending, seen = [start], set[Place]()
    while pending:
        place = pending.pop()
        if place in seen or place[2] == UNBOUND:
            continue
        seen.add(place)
        op = program.op(place)
        if op.kind is Kind.CALL:
            found[place] = None
        elif op.kind in (Kind.PHI, Kind.CYCLE):
            pending += [(place[0], place[1], part) for part in op.args]
        elif op.kind is Kind.PART and type(op.data) is int and op.data >= 0:
            pending += _entries(program, (place[0], place[1], op.args[0]), op.data)
        elif op.kind is Kind.PARAMETER:
            pending += arguments_for(program, place[:2], op.data)
        elif op.kind is Kind.NAME:
            pending += places_bound(program, program.unit(place[:2]), op.data)
        elif op.kind is Kind.ATTRIBUTE:
            for origin in holds(program, (place[0], place[1], op.args[0])):
                if origin.what is What.INSTANCE:
                    kept = stores(program, origin.place[:2], op.data)
                    pending += [(p, u, program.op((p, u, o)).args[1]) for p, u, o in kept]
    return tuple(sorted(found))


def _entries(program: Program, place: Place, index: int) -> Iterator[Place]:
    """What stands at an index of the lists and tuples, written out, that something may be."""
    for origin in holds(program, place):
        if origin.what is What.CONTAINER and len(origin.place) > 2:
            op = program.op(origin.place)
            if op.kind in (Kind.LIST, Kind.TUPLE) and index < len(op.args):
                yield (*origin.place[:2], op.args[index])
