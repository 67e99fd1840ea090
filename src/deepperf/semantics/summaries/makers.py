"""Which calls a value comes from, and whether calling it computes gradients."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.calls import arguments_for
from deepperf.semantics.ir.table import UNBOUND, Kind
from deepperf.semantics.objects.classes import line, stores
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.names import places_bound, places_exported, places_imported
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import facts_of

_DEEPEST = 4
"""Functions wrapped around each other, as in `vmap(grad(f))`."""
_KEEPERS = frozenset((What.MODULE, What.INSTANCE))
MOST = 500
"""Places that something may come from, beyond which nothing is said of it."""
_NO_CALLS: tuple[Place, ...] = ()


def makers(program: Program, start: Place) -> tuple[Place, ...]:
    """The calls whose result something may be, over variables, parameters and attributes."""
    return tuple([one for one in sources(program, start) if program.op(one).kind is Kind.CALL])


def sources(program: Program, start: Place) -> tuple[Place, ...]:
    """The same, what is taken out of something, as `net.features[:9]`, and what only code that is
    not seen passes.
    """
    found: dict[Place, None] = {}
    pending, seen = [start], set[Place]()
    while pending:
        place = pending.pop()
        if place in seen or place[2] == UNBOUND:
            continue
        seen.add(place)
        if len(seen) > MOST:
            return _NO_CALLS
        op = program.op(place)
        if op.kind in (Kind.CALL, Kind.ITEM):
            found[place] = None
        elif op.kind in (Kind.PHI, Kind.CYCLE):
            pending += [(place[0], place[1], part) for part in op.args]
        elif op.kind is Kind.CHOICE:
            pending += [(place[0], place[1], part) for part in op.args[1:]]
        elif op.kind is Kind.PART and type(op.data) is int and op.data >= 0:
            entries = list(_entries(program, (place[0], place[1], op.args[0]), op.data))
            pending += entries
            if not entries:
                found[place] = None
        elif op.kind is Kind.PARAMETER:
            passed = arguments_for(program, place[:2], op.data)
            pending += passed
            if not passed:
                found[place] = None
        elif op.kind is Kind.NAME:
            pending += places_bound(program, program.unit(place[:2]), op.data)
        elif op.kind is Kind.IMPORT:
            pending += places_imported(program, op.data, place[0])
        elif op.kind is Kind.ATTRIBUTE:
            held = holds(program, (place[0], place[1], op.args[0]))
            if not any(origin.what in _KEEPERS for origin in held):
                found[place] = None
            for origin in held:
                if origin.what is What.MODULE:
                    pending += places_exported(program, origin.place[0], op.data)
                elif origin.what is What.INSTANCE:
                    owners = line(program, origin.place[:2])
                    kept = [one for owner in owners for one in stores(program, owner, op.data)]
                    pending += [(p, u, program.op((p, u, o)).args[1]) for p, u, o in kept]
    return tuple(sorted(found))


def _entries(program: Program, place: Place, index: int) -> Iterator[Place]:
    """What stands at an index of the lists and tuples, written out, that something may be."""
    for origin in holds(program, place):
        if origin.what is What.CONTAINER and len(origin.place) > 2:
            op = program.op(origin.place)
            if op.kind in (Kind.LIST, Kind.TUPLE) and index < len(op.args):
                yield (*origin.place[:2], op.args[index])


def gradient_makers(program: Program, call: Place) -> tuple[Place, ...]:
    """The calls of `grad` and the like whose result a call runs, outside of a compiler."""
    if "jax" not in program.knowledge.frameworks or program.op(call).kind is not Kind.CALL:
        return _NO_CALLS
    return program.answers.ask(_gradient_makers, call, bottom=_NO_CALLS)


def _gradient_makers(program: Program, path: str, number: int, index: int) -> tuple[Place, ...]:
    if not _names_one(program):
        return _NO_CALLS
    found: list[Place] = []
    pending = [((path, number, program.op((path, number, index)).args[0]), _DEEPEST)]
    while pending:
        place, deepest = pending.pop()
        for made in makers(program, place):
            traits = frozenset[Trait]().union(*[fact.traits for fact in facts_of(program, made)])
            if Trait.DIFFERENTIATES in traits:
                found.append(made)
            elif Trait.WRAPS_FUNCTION in traits and Trait.COMPILES not in traits:
                inner = program.op(made).args[1:2]
                pending += [((*made[:2], one), deepest - 1) for one in inner if deepest]
    return tuple(sorted(set(found)))


def _names_one(program: Program) -> bool:
    return program.answers.ask(_is_named, (), bottom=False)


def _is_named(program: Program) -> bool:
    words = program.knowledge.trigger_names((Trait.DIFFERENTIATES,))
    return any(program.naming(word) for word in sorted(words))
