"""Which variables and objects a value may share memory with: what a write to it may reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.arguments import receiver_of, supplied
from deepperf.semantics.callgraph.callees import callees
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import facts_of

LONGEST = 4
"""Attributes that lead on from a root; what lies behind more counts as the last of these."""
_MOST = 24
_DISPLAYS = frozenset((Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT, Kind.COLLECT))
_PARTS = frozenset((Kind.ITEM, Kind.PART, Kind.ELEMENT, Kind.STAR, Kind.AWAIT, Kind.ENTER))
_MEETINGS = frozenset((Kind.PHI, Kind.CYCLE, Kind.LOGIC))
_FIXED = frozenset((What.LIBRARY, What.FUNCTION, What.CLASS, What.MODULE))
_SAME_MEMORY = members.VIEW_ATTRIBUTES | {"data"}
_LISTINGS = (
    members.MAPPING_LISTINGS
    | members.MODEL_LISTINGS
    | members.WEIGHT_LISTINGS
    | members.ENTRY_GIVING
)
"""Methods that give what their object holds."""
_SHARED = members.MAY_SHARE | members.SHARING


class Root(NamedTuple):
    """A variable or object, and the attributes that lead on from it.

    `base` is ("parameter", its number), ("variable", path, unit, name) for one of the module or of
    a function around, ("made", operation) for an object that the function makes, or ("anything",).
    """

    base: tuple[Any, ...]
    path: tuple[str, ...] = ()

    def on(self, *path: str) -> Root:
        """What attributes of it lead to."""
        return Root(self.base, (self.path + path)[:LONGEST])


ANYTHING = Root(("anything",))
Roots = frozenset[Root]
NO_ROOTS: Roots = frozenset()


def roots(program: Program, place: Place) -> Roots:
    """What a write to a value, or to a part of it, may write to; nothing for numbers and texts."""
    return NO_ROOTS if place[2] == UNBOUND else program.answers.ask(_roots, place, bottom=NO_ROOTS)


def contained(program: Program, place: Place) -> Roots:
    """The same, with what lies in the lists, tuples and dicts that it is."""
    found = roots(program, place)
    return found.union(*_elements(program, place[:2], found))


def variable(program: Program, unit: Unit, name: str) -> Root | None:
    """The variable that a name stands for which a function does not bind; None for a builtin."""
    number = unit.number if unit.kind == "module" else unit.parent
    units = program.units(unit.path)
    while number >= 0:
        scope = units[number]
        if scope.kind != "class" and name in scope.bindings and name not in scope.outer_names:
            return Root(("variable", unit.path, number, name))
        number = scope.parent
    return None


def returned(program: Program, key: UnitKey) -> Roots:
    """What a function may give back of what it is passed, or of what stands around it."""
    return program.answers.ask(_returned, key, bottom=NO_ROOTS)


def _roots(program: Program, path: str, number: int, index: int) -> Roots:
    unit = program.unit((path, number))
    op, here = unit.ops[index], unit.key
    if op.kind is Kind.PARAMETER:
        return frozenset((Root(("parameter", op.data)),))
    if op.kind is Kind.NAME:
        return _named(program, unit, index, op)
    if op.kind is Kind.ATTRIBUTE:
        whole = roots(program, (*here, op.args[0]))
        if op.data in _SAME_MEMORY:
            return whole
        return frozenset(root.on(op.data) for root in whole)
    if op.kind in _PARTS:
        whole = roots(program, (*here, op.args[0]))
        return _bounded(whole.union(*_elements(program, here, whole)))
    if op.kind in _MEETINGS:
        return _bounded(_all(program, here, op.args))
    if op.kind is Kind.CHOICE:
        return _bounded(_all(program, here, op.args[1:]))
    own = frozenset((Root(("made", index)),))
    if op.kind in _DISPLAYS:
        return own
    if op.kind is Kind.BINARY:
        return own | roots(program, (*here, op.args[0])) if op.data.endswith("=") else own
    if op.kind is Kind.CALL:
        return _bounded(own.union(*_called(program, unit, index, op)))
    return NO_ROOTS


def _all(program: Program, key: UnitKey, operands: Iterable[int]) -> Roots:
    return NO_ROOTS.union(*[roots(program, (*key, operand)) for operand in operands])


def _bounded(found: Roots) -> Roots:
    return found if len(found) <= _MOST else frozenset((ANYTHING,))


def _named(program: Program, unit: Unit, index: int, op: Op) -> Roots:
    held = holds(program, (*unit.key, index))
    if held and all(origin.what in _FIXED for origin in held):
        return NO_ROOTS
    found = variable(program, unit, op.data)
    return NO_ROOTS if found is None else frozenset((found,))


def _elements(program: Program, key: UnitKey, whole: Roots) -> Iterator[Roots]:
    unit = program.unit(key)
    for root in whole:
        if root.base[0] == "made":
            op = unit.ops[root.base[1]]
            if op.kind is Kind.COLLECT:
                yield roots(program, (*key, op.args[-1]))
            elif op.kind in _DISPLAYS:
                yield _all(program, key, op.args)
            elif op.kind is Kind.BINARY and op.data == "Add":  # of two lists or tuples
                for operand in op.args:
                    part = unit.ops[operand]
                    shown = part.args if part.kind in _DISPLAYS else (operand,)
                    yield _all(program, key, shown)


def _called(program: Program, unit: Unit, index: int, op: Op) -> Iterator[Roots]:
    """What a call may give back of what it is passed."""
    place = (*unit.key, index)
    for callee in callees(program, place):
        for root in returned(program, callee.unit):
            if root.base[0] != "parameter":
                yield frozenset((root,))
                continue
            operand = supplied(program, place, callee, root.base[1])
            if operand is not None:
                given = roots(program, (*unit.key, operand))
                yield frozenset(one.on(*root.path) for one in given)
    callee_op = unit.ops[op.args[0]]
    name = callee_op.data if callee_op.kind in (Kind.ATTRIBUTE, Kind.NAME) else ""
    if callee_op.kind is Kind.NAME and name in members.ELEMENT_GIVING:
        for operand in op.args[1:]:
            yield contained(program, (*unit.key, operand))
    if callee_op.kind is Kind.ATTRIBUTE and name in _LISTINGS:
        yield contained(program, (*unit.key, callee_op.args[0]))
    facts = facts_of(program, place)
    views = any(fact.traits & {Trait.VIEWS, Trait.GIVES_BACK} for fact in facts)
    if not facts:
        views = name in program.knowledge.method_names((Trait.VIEWS,))
    if views or name in _SHARED:
        receiver = receiver_of(program, place)
        shared = op.args[1:] if receiver is None else (receiver,)
        yield _all(program, unit.key, shared)


def _returned(program: Program, path: str, number: int) -> Roots:
    unit = program.unit((path, number))
    given = _all(program, unit.key, [unit.ops[one].args[0] for one in unit.returns])
    return frozenset(root for root in given if root.base[0] != "made")
