"""What the uses of a name lead to: each name is looked up once, for all that may be called so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from deepperf.semantics.callgraph.callees import skipped
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import UNKNOWN, Origin, Place, UnitKey, What, in_order
from deepperf.semantics.program.program import Program


class Uses(NamedTuple):
    """The operations, in all files, that read a name or an attribute.

    By function: those that may be the function, and how many parameters come before a call's
    first argument. By class and by any other value likewise. `unknown` are attributes of objects
    that may be anything.
    """

    functions: Mapping[UnitKey, tuple[tuple[Place, int], ...]] = {}
    classes: Mapping[UnitKey, tuple[Place, ...]] = {}
    values: Mapping[Origin, tuple[Place, ...]] = {}
    unknown: tuple[Place, ...] = ()


_UNUSED = Uses()


def uses(program: Program, name: str) -> Uses:
    """What is read under a name, also by those that imports give it."""
    return program.answers.ask(_uses, (name,), bottom=_UNUSED)


def names_of_class(program: Program, owner: UnitKey) -> tuple[Place, ...]:
    """Where a class is defined, and where it is named."""
    unit = program.unit(owner)
    defined = (unit.path, unit.parent, unit.definition)
    return (defined, *uses(program, unit.name).classes.get(owner, ()))


def _uses(program: Program, name: str) -> Uses:
    functions: dict[UnitKey, dict[Place, int]] = {}
    classes: dict[UnitKey, list[Place]] = {}
    values: dict[Origin, list[Place]] = {}
    unknown = []
    for place in _places(program, name):
        held = holds(program, place)
        for origin in in_order(held):
            if origin.what is What.FUNCTION:
                functions.setdefault(origin.place[:2], {}).setdefault(place, 0)
            elif origin.what is What.BOUND:
                found = functions.setdefault(origin.place[:2], {})
                found.setdefault(place, skipped(program, origin))
            elif origin.what is What.CLASS:
                classes.setdefault(origin.place[:2], []).append(place)
            if origin != UNKNOWN:
                values.setdefault(origin, []).append(place)
        if UNKNOWN in held and program.op(place).kind is Kind.ATTRIBUTE:
            unknown.append(place)
    return Uses(
        {key: tuple(places.items()) for key, places in functions.items()},
        {key: tuple(places) for key, places in classes.items()},
        {key: tuple(places) for key, places in values.items()},
        tuple(unknown),
    )


def _places(program: Program, name: str) -> Iterator[Place]:
    for path in program.naming(name):
        for alias in sorted(program.names_for(name, path)):
            yield from program.uses_of(alias, path)
