"""Which operations make a value, and which literal it is, where the project tells."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.classes import is_own
from deepperf.semantics.objects.entries import entries
from deepperf.semantics.objects.everywhere import attributes_set
from deepperf.semantics.objects.fields import settings
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.names import places_exported, places_imported, places_rebound
from deepperf.semantics.objects.origin import NOTHING, UNKNOWN, Held, Place, What
from deepperf.semantics.program.program import Program

Sources = frozenset[Place] | None
"""The operations that make a value; None where something unseen may."""
Literal = tuple[Any] | None
"""The one literal that something always is."""
_NONE: Sources = frozenset()
_MOST = 16
_LARGEST = 2**63
"""Integers from which on nobody asks: a line that squares would double them each time."""
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
}


def literal(program: Program, place: Place) -> Literal:
    """The literal that an expression is, over variables, attributes, fields and parameters: of
    a parameter what callers pass, or its default.

    None where it is not known, or not always the same.
    """
    return None if place[2] == UNBOUND else program.answers.ask(_literal, place, bottom=None)


def integer(program: Program, place: Place) -> int | None:
    """The same of integers, and of what is computed from them."""
    found = literal(program, place)
    return found[0] if found is not None and type(found[0]) is int else None


def sources(program: Program, place: Place) -> Sources:
    """The operations that make a value, over the same, and over functions that return it."""
    found = _seen(program, place)
    return None if found is None else frozenset(one for one in found if one[2] != UNBOUND)


def all_sources(program: Program, place: Place) -> Sources:
    """The same, where no call that nobody sees may pass anything else; None where one may."""
    found = _seen(program, place)
    return None if found is None or any(one[2] == UNBOUND for one in found) else found


def _seen(program: Program, place: Place) -> Sources:
    """What is seen to make a value, and an unbound operand of each function that unseen calls may
    pass something else.
    """
    return None if place[2] == UNBOUND else program.answers.ask(_sources, place, bottom=_NONE)


def _literal(program: Program, path: str, number: int, index: int) -> Literal:
    found: set[tuple[type, Any]] = set()
    for place in sources(program, (path, number, index)) or ():
        value = _written(program, place, program.op(place))
        if value is None:
            return None
        found.add((type(value[0]), value[0]))
    return (found.pop()[1],) if len(found) == 1 else None


def _written(program: Program, place: Place, op: Op) -> Literal:
    if op.kind is Kind.CONSTANT:
        return (op.data,)
    parts = [integer(program, (*place[:2], operand)) for operand in op.args]
    if op.kind is Kind.UNARY and op.data == "USub" and parts[0] is not None:
        return (-parts[0],)
    if op.kind is Kind.BINARY and op.data in _ARITHMETIC:
        left, right = parts
        if left is None or right is None or max(abs(left), abs(right)) > _LARGEST:
            return None
        return (_ARITHMETIC[op.data](left, right),)
    return None


def _sources(program: Program, path: str, number: int, index: int) -> Sources:
    unit = program.unit((path, number))
    op = unit.ops[index]
    find = _BY_KIND.get(op.kind)
    return frozenset(((path, number, index),)) if find is None else find(program, unit, index, op)


def _all(program: Program, places: Iterable[Place]) -> Sources:
    """The sources of several values, of which there is at least one."""
    found: set[Place] = set()
    is_none = True
    for place in places:
        is_none = False
        made = _seen(program, place)
        if made is None:
            return None
        found |= made
    return None if is_none or len(found) > _MOST else frozenset(found)


def _joined(program: Program, unit: Unit, _: int, op: Op) -> Sources:
    return _all(program, [(*unit.key, operand) for operand in op.args])


def _chosen(program: Program, unit: Unit, _: int, op: Op) -> Sources:
    return _all(program, [(*unit.key, operand) for operand in op.args[1:]])


def _of_name(program: Program, unit: Unit, _: int, op: Op) -> Sources:
    return _all(program, places_rebound(program, unit, op.data))


def _of_import(program: Program, unit: Unit, _: int, op: Op) -> Sources:
    return _all(program, places_imported(program, op.data, unit.path))


def _of_attribute(program: Program, unit: Unit, _: int, op: Op) -> Sources:
    """What an attribute of a module, or of a class's instances, is ever set to."""
    places: list[Place] = []
    for origin in made(program, (*unit.key, op.args[0])):
        if origin.what is What.MODULE:
            if _is_set_on_module(program, op.data):
                return None
            places += places_exported(program, origin.place[0], op.data)
        elif origin.what in (What.INSTANCE, What.CLASS):
            kept = settings(program, origin.place[:2], op.data)
            if kept is None:
                return None
            places += kept
        else:
            return None
    found = _all(program, places)
    if found is None or _is_every_owner(program, unit, op.args[0]):
        return found
    return found | {(*unit.key, UNBOUND)}


def _is_every_owner(program: Program, unit: Unit, index: int) -> bool:
    """Whether no other object than those that are seen may have the attribute."""
    owner = (*unit.key, index)
    held = holds(program, owner)
    if is_own(unit, index) or all(origin.what is What.MODULE for origin in held):
        return True
    return UNKNOWN not in held and all_sources(program, owner) is not None


def made(program: Program, place: Place) -> Held:
    """As `holds`, where callers that nobody sees are taken to pass what is seen, or the default,
    as for `sources`.
    """
    held = holds(program, place)
    if UNKNOWN not in held:
        return held
    found = [holds(program, source) for source in sources(program, place) or () if source != place]
    return NOTHING.union(*found) or held


def _is_set_on_module(program: Program, name: str) -> bool:
    """Whether code sets a variable of a module from outside: `config.SIZE = 4`."""
    targets = [(*place[:2], program.op(place).args[0]) for place in attributes_set(program, name)]
    return any(origin.what is What.MODULE for one in targets for origin in holds(program, one))


def _of_parameter(program: Program, unit: Unit, _: int, op: Op) -> Sources:
    """What callers pass, and the default where one of them, or nobody, passes anything."""
    from deepperf.semantics.callgraph.calls import callers, has_unseen_callers, passed_by

    if unit.parameters[op.data].passing in ("*", "**"):
        return None
    places: list[Place] = []
    edges = callers(program, unit.key)
    for edge in edges:
        passed = passed_by(program, edge, unit, op.data)
        places += passed or [(*unit.key, op.args[1])]
    found = _all(program, places if edges else [(*unit.key, op.args[1])])
    if found is None or (edges and not has_unseen_callers(program, unit.key)):
        return found
    return found | {(*unit.key, UNBOUND)}


def _of_item(program: Program, unit: Unit, index: int, op: Op) -> Sources:
    """What lies under a key of a dict that is written out."""
    key = unit.ops[op.args[1]]
    if key.kind is not Kind.CONSTANT or not isinstance(key.data, str):
        return frozenset(((*unit.key, index),))
    found = entries(program, (*unit.key, op.args[0]))
    place = dict(found.under).get(key.data) if found is not None else None
    return None if place is None else _seen(program, place)


def _of_call(program: Program, unit: Unit, index: int, op: Op) -> Sources:
    """What a function of the project returns; of any other callee the call itself."""
    held = holds(program, (*unit.key, op.args[0]))
    if not held or any(origin.what not in (What.FUNCTION, What.BOUND) for origin in held):
        return frozenset(((*unit.key, index),))
    places: list[Place] = []
    for origin in held:
        inner = program.unit(origin.place[:2])
        if inner.is_generator or inner.is_async or not inner.returns:
            return None
        places += [(*inner.key, inner.ops[one].args[0]) for one in inner.returns]
    return _all(program, places)


_BY_KIND: dict[Kind, Callable[[Program, Unit, int, Op], Sources]] = {
    Kind.NAME: _of_name,
    Kind.IMPORT: _of_import,
    Kind.ATTRIBUTE: _of_attribute,
    Kind.PARAMETER: _of_parameter,
    Kind.ITEM: _of_item,
    Kind.CALL: _of_call,
    Kind.PHI: _joined,
    Kind.CYCLE: _joined,
    Kind.LOGIC: _joined,
    Kind.CHOICE: _chosen,
}
