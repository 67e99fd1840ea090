"""Whether a write may change what stands at a root: by another name, in an object that holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.arguments import receiver_of, supplied
from deepperf.semantics.callgraph.callees import Callee, callees
from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.classes import line
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import ANYTHING as UNKNOWN
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.memory import ANYTHING, NO_ROOTS, Root, Roots, roots
from deepperf.semantics.summaries.traits import facts_of
from deepperf.semantics.summaries.writes import Way, Write, reaches, writes

_DEEPEST = 3
"""Objects that hold each other, as in `Sum(Term(a))`."""
_DISPLAYS = frozenset((Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT, Kind.COLLECT))
_MAKING = (Trait.COMPUTES, Trait.CREATES_ARRAY, Trait.ARRANGES)
_MODULE = 0
Base = tuple[Any, ...]
_NOTHING: Mapping[Base, Roots] = MappingProxyType({})


def may_alter(program: Program, unit: Unit, write: Write, root: Root) -> bool:
    """Whether a write of a function may change what stands at a root, elements included.

    Two parameters are taken for two objects; a variable of a function around may be any of them.
    """
    if reaches(write, root):
        return True
    if _only_lengthens(program, unit, write):
        return False
    if root.base == write.root.base:
        return write.way is Way.CONTENTS and bool(root.path) and bool(write.root.path)
    held, written = set(_held(program, unit, root)), set(_held(program, unit, write.root))
    if root.base[0] == "variable" and root.base[2] != _MODULE and write.way is not Way.REBOUND:
        is_new = len(written) == 1 and write.root.base[0] == "made"
        return not is_new
    return not held.isdisjoint(written)


def written_with(program: Program, unit: Unit, write: Write) -> Iterator[Base]:
    """What a write is to; where it changes elements, also what its object may hold."""
    if write.way is Way.REBOUND or _only_lengthens(program, unit, write):
        yield write.root.base
    else:
        yield from _held(program, unit, write.root)


def _only_lengthens(program: Program, unit: Unit, write: Write) -> bool:
    """Whether it adds to a list or dict, whose elements stay as they are."""
    op = unit.ops[write.at]
    if op.kind is not Kind.CALL or receiver_of(program, (*unit.key, write.at)) is None:
        return False
    return unit.ops[op.args[0]].data in members.CONTAINER_ADDITIONS


def _held(program: Program, unit: Unit, root: Root, depth: int = _DEEPEST) -> Iterator[Base]:
    """What an object is, or was made of by the program's own code: it may still hold that."""
    yield root.base
    if depth == 0:
        return
    for part in program.answers.ask(_kept_in, unit.key, bottom=_NOTHING).get(root.base, ()):
        yield from _held(program, unit, part, depth - 1)
    if root.base[0] != "made":
        return
    index = root.base[1]
    for operand in _put_in(program, unit, index):
        for part in roots(program, (*unit.key, operand)):
            yield from _held(program, unit, part, depth - 1)
    for operand in _may_be_part_of(program, unit, index):
        yield from (part.base for part in roots(program, (*unit.key, operand)))


def _put_in(program: Program, unit: Unit, index: int) -> tuple[int, ...]:
    """What is put into a list, a dict or an object of the project where it is made."""
    op = unit.ops[index]
    if op.kind is not Kind.CALL:
        return op.args if op.kind in _DISPLAYS else ()
    callee, held = unit.ops[op.args[0]], holds(program, (*unit.key, op.args[0]))
    is_holding = callee.kind is Kind.NAME and callee.data in members.HOLDING_FUNCTIONS
    is_class = any(origin.what is What.CLASS for origin in held)
    return op.args[1:] if is_holding or is_class else ()


def _may_be_part_of(program: Program, unit: Unit, index: int) -> tuple[int, ...]:
    """The object whose method gives something, and its arguments, where nothing is known of it."""
    op, place = unit.ops[index], (*unit.key, index)
    if op.kind is not Kind.CALL or facts_of(program, place):
        return ()
    callee = unit.ops[op.args[0]]
    if callee.kind is Kind.ATTRIBUTE and callee.data in program.knowledge.method_names(_MAKING):
        return ()
    if not holds(program, (*unit.key, op.args[0])) <= UNKNOWN:
        return ()  # what it gives back of what it is passed is followed
    receiver = receiver_of(program, place)
    return op.args[1:] if receiver is None else (receiver, *op.args[1:])


def _kept_in(program: Program, path: str, number: int) -> Mapping[Base, Roots]:
    """What a function keeps in the attributes and items of objects, by object; also what it hands
    to functions that keep it there.
    """
    unit = program.unit((path, number))
    found: dict[Base, Roots] = {}
    for op in unit.ops:
        if op.kind in (Kind.SET_ATTRIBUTE, Kind.SET_ITEM):
            kept = roots(program, (*unit.key, op.args[-1]))
            for owner in roots(program, (*unit.key, op.args[0])) if kept else ():
                found[owner.base] = found.get(owner.base, NO_ROOTS) | kept
    for index in unit.calls:
        for owners, kept in _kept_by_call(program, (*unit.key, index)):
            for owner in owners:
                found[owner.base] = found.get(owner.base, NO_ROOTS) | kept
    return found


def _kept_by_call(program: Program, call: Place) -> Iterator[tuple[Roots, Roots]]:
    """What functions of the project keep of one argument in another."""
    for callee in callees(program, call):
        inside = program.answers.ask(_kept_in, callee.unit, bottom=_NOTHING)
        for owner, kept in inside.items():
            owners = _passed(program, call, callee, owner)
            for part in kept if owners else ():
                yield owners, _passed(program, call, callee, part.base)


def _passed(program: Program, call: Place, callee: Callee, base: Base) -> Roots:
    """What a call supplies for a parameter."""
    operand = supplied(program, call, callee, base[1]) if base[0] == "parameter" else None
    return NO_ROOTS if operand is None else roots(program, (*call[:2], operand))


def writes_between(program: Program, unit: Unit, region: int) -> tuple[Write, ...]:
    """What an iteration of a loop writes to: in its body, or in a generator that it goes over."""
    generated = _generated(unit, region)
    if any(_is_own_iterator(program, (*unit.key, index)) for index in generated):
        return (Write(ANYTHING, Way.UNKNOWN, unit.regions[region].op),)
    moved = [
        Write(root, Way.UNKNOWN, index)
        for index in generated
        if _is_unknown_part(program, (*unit.key, index))
        for root in roots(program, (*unit.key, unit.ops[index].args[0]))
    ]
    return (
        *moved,
        *(
            write
            for write in writes(program, unit.key)
            if write.at in generated or unit.within(unit.ops[write.at].region, region)
        ),
    )


def _is_unknown_part(program: Program, place: Place) -> bool:
    """Whether going over something may move the object on that it belongs to, such as a film."""
    held = holds(program, place)
    return program.op(place).kind is Kind.ATTRIBUTE and held <= UNKNOWN


def _generated(unit: Unit, region: int) -> frozenset[int]:
    """What a loop goes over: calls, and what they are given."""
    found, pending = set[int](), [unit.regions[region].op]
    while pending:
        index = pending.pop()
        if index not in found:
            found.add(index)
            pending += unit.ops[index].args[1:] if unit.ops[index].kind is Kind.CALL else ()
    return frozenset(found)


def _is_own_iterator(program: Program, place: Place) -> bool:
    """Whether going over something runs code of the project's own class."""
    return any(
        _defines(program, key, name)
        for origin in holds(program, place)
        if origin.what is What.INSTANCE
        for key in line(program, origin.place[:2])
        for name in ("__next__", "__iter__")
    )


def _defines(program: Program, key: UnitKey, name: str) -> bool:
    return bool(program.unit(key).bindings.get(name))
