"""Whether anybody can tell that a value has a graph of operations that gradients flow through."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import callees
from deepperf.semantics.gradients.carrying import CUT_ATTRIBUTES, CUTTING, HANDED_ON
from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import traits_of

_MADE_OF = HANDED_ON | {Kind.ITEM, Kind.CHOICE, Kind.COLLECT, Kind.AWAIT}
_NUMBERS = frozenset((Kind.COMPARE, Kind.TEST))
_DISPLAYS = frozenset((Kind.LIST, Kind.TUPLE, Kind.DICT, Kind.COLLECT, Kind.CONSTANT))
_SHARED = frozenset((Kind.PARAMETER, Kind.NAME, Kind.ATTRIBUTE, Kind.ITEM, Kind.ELEMENT))
"""What others hold as well."""
_COMPUTING = frozenset((Trait.COMPUTES, Trait.PURE, Trait.REDUCES, Trait.JOINS, Trait.MOVES))
_KEEPING = frozenset((Trait.KEEPS_ARGUMENT, Trait.CLEARS))
_TO_NUMBERS = frozenset(f"builtins.{name}" for name in ("float", "int", "bool", "len", "round"))
_ARITHMETIC = frozenset(f"builtins.{name}" for name in ("sum", "max", "min", "abs", "list"))


def may_show_graph(program: Program, place: Place) -> bool:
    """Whether a tensor, or a list of some, may get to where a graph can be told: it is returned,
    printed, stored or passed on, as far as known. Reading its numbers tells nothing.
    """
    unit = program.unit(place[:2])
    made = [*_made_here(unit, place[2])]
    if any(unit.ops[one].kind in _SHARED for one in made):
        return True
    seen, pending = {*made}, made
    while pending:
        value = pending.pop()
        if _is_read_elsewhere(program, unit, value):
            return True
        for user in unit.uses(value):
            new = _made(program, unit, value, user)
            if new is None:
                return True
            pending += [one for one in new if one not in seen]
            seen.update(new)
    return False


def _made_here(unit: Unit, value: int) -> Iterator[int]:
    """A value, and those of which it is one: a list is the same object by each of its names."""
    seen, pending = {value}, [value]
    while pending:
        one = pending.pop()
        yield one
        if unit.ops[one].kind in (Kind.PHI, Kind.CYCLE):
            new = {operand for operand in unit.ops[one].args if operand >= 0} - seen
            seen |= new
            pending += new


def _is_read_elsewhere(program: Program, unit: Unit, value: int) -> bool:
    """Whether other functions may read a variable that it is assigned to."""
    names = [name for name, bound in unit.bindings.items() if value in bound]
    if unit.kind == "module" or not unit.outer_names.isdisjoint(names):
        return bool(names)
    inner = [one for one in program.units(unit.path) if one.parent == unit.number]
    return any(op.kind is Kind.NAME and op.data in names for one in inner for op in one.ops)


def _made(program: Program, unit: Unit, value: int, user: int) -> tuple[int, ...] | None:
    """What an operation makes of a value, nothing if that has no graph; None if it may show it."""
    op = unit.ops[user]
    if op.kind in _NUMBERS:
        return ()
    if op.kind is Kind.FORMAT:
        return () if unit.ops[value].kind not in _DISPLAYS else None
    template = _template(unit, user)
    if template is not None:
        return None if {"%s", "%r"} & {*re.findall("%.", template)} else ()
    if op.kind in _MADE_OF:
        return (user,)
    if op.kind is Kind.ATTRIBUTE:
        if op.data in CUT_ATTRIBUTES:
            return None if op.data == "requires_grad" else ()
        called = unit.uses(user)
        is_method = all(_is_called(unit, user, one) for one in called)
        return (user,) if is_method else None
    if op.kind is Kind.CALL:
        return _made_by_call(program, unit, value, user)
    return None


def _template(unit: Unit, user: int) -> str | None:
    """The text whose places an operation fills by `%`."""
    op = unit.ops[user]
    left = unit.ops[op.args[0]].data if op.kind is Kind.BINARY and op.data == "Mod" else None
    return left if isinstance(left, str) else None


def _is_called(unit: Unit, callee: int, user: int) -> bool:
    op = unit.ops[user]
    return op.kind is Kind.CALL and op.args[0] == callee


def _made_by_call(program: Program, unit: Unit, value: int, user: int) -> tuple[int, ...] | None:
    place, op = (*unit.key, user), unit.ops[user]
    traits = traits_of(program, place)
    if traits & CUTTING:
        return ()
    if traits & _KEEPING:
        callee = unit.ops[op.args[0]]
        is_holder = op.args[0] == value
        return () if is_holder or callee.kind is not Kind.ATTRIBUTE else callee.args[:1]
    names = {origin.name for origin in holds(program, (*unit.key, op.args[0]))}
    if names and names <= _TO_NUMBERS:
        return ()
    is_arithmetic = bool(names) and names <= _ARITHMETIC
    if is_arithmetic or (traits & _COMPUTING and not callees(program, place)):
        return (user,)
    return None
