"""Mod/ref: what a function, or an iteration of a loop in it, writes to, calls included."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.semantics.callgraph.arguments import receiver_of, supplied
from deepperf.semantics.callgraph.callees import Callee, callees
from deepperf.semantics.callgraph.overrides import has_some_arguments, overrides
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.classes import line, stores
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.harmless import leaves_alone, writes_receiver
from deepperf.semantics.summaries.memory import ANYTHING, Root, contained, roots, variable
from deepperf.semantics.summaries.traits import ASKING, facts_of, traits_of

MOST_WRITES = 200
"""Writes of one function, beyond which it may write to anything."""
_WRITING = frozenset((Trait.WRITES_STATE, Trait.TRAINS))
"""What goes on for as long as a training, and leaves the model as it is."""
_UNCHANGED_ARRAYS = ("tensorflow.Tensor", "jax.Array")
_OUTPUT = "out"
"""The parameter by which functions of arrays are told where to put their result."""
_OF_FORM = members.SHAPE_ATTRIBUTES | members.TENSOR_FLAGS
_CONTAINED = frozenset((Kind.ELEMENT, Kind.ITEM, Kind.PART))


class Way(enum.IntEnum):
    """How something is written to."""

    REBOUND = 0  # another object takes its place
    CONTENTS = 1  # its elements, items or attributes change
    UNKNOWN = 2  # code that is not known has it, and may write to it


class Write(NamedTuple):
    """A write, and the operation of the function that does it or leads to it."""

    root: Root
    way: Way
    at: int


class Written(enum.IntEnum):
    """Whether some code writes to a value; the greater of two wins."""

    NOT = 0
    UNKNOWN = 1
    WRITTEN = 2


_Reach = tuple[Root, Way]
_NONE: tuple[Write, ...] = ()
_NONE_OUTSIDE: tuple[_Reach, ...] = ()


def written_in(program: Program, place: Place, region: int) -> Written:
    """Whether an iteration of a loop, in the function of a value, writes to it or a part of it."""
    found = Written.NOT
    read = roots(program, place)
    for write in writes_in(program, place[:2], region):
        if found < Written.WRITTEN and any(reaches(write, root) for root in read):
            found = Written.UNKNOWN if write.way is Way.UNKNOWN else Written.WRITTEN
    return found


def written_below(program: Program, place: Place) -> Written:
    """The same for all of its function, where keys of a dict that it is are set for nothing.

    A copy of the dict alone is enough for that, and shares what is in it.
    """
    found, unit, read = Written.NOT, program.unit(place[:2]), roots(program, place)
    for write in writes(program, place[:2]):
        if any(reaches(write, root) for root in read) and not _sets_key(unit, write.at, place[2]):
            found = max(found, Written.UNKNOWN if write.way is Way.UNKNOWN else Written.WRITTEN)
    return found


def _sets_key(unit: Unit, at: int, owner: int) -> bool:
    """Whether an operation sets a key, written out, of what another gives."""
    op = unit.ops[at]
    if op.kind is not Kind.SET_ITEM or not isinstance(unit.ops[op.args[1]].data, str):
        return False
    pending, seen = [op.args[0]], set[int]()
    while pending:
        index = pending.pop()
        if index == owner:
            return unit.ops[op.args[1]].kind is Kind.CONSTANT
        if index not in seen and unit.ops[index].kind in (Kind.PHI, Kind.CYCLE):
            pending += unit.ops[index].args
        seen.add(index)
    return False


def writes(program: Program, key: UnitKey) -> tuple[Write, ...]:
    """All that a function writes to, what it makes itself included."""
    return program.answers.ask(_writes, key, bottom=_NONE)


def writes_in(program: Program, key: UnitKey, region: int) -> tuple[Write, ...]:
    """The writes of a function that stand in a region of it, or are made by calls there."""
    unit = program.unit(key)
    found = writes(program, key)
    return tuple([one for one in found if unit.within(unit.ops[one.at].region, region)])


def outer_writes(program: Program, key: UnitKey) -> tuple[_Reach, ...]:
    """What calling a function writes to: of what it is passed, and of variables around it."""
    return program.answers.ask(_outer_writes, key, bottom=_NONE_OUTSIDE)


def reaches(write: Write, root: Root) -> bool:
    """Whether a write reaches what stands at a root."""
    if write.root == ANYTHING or root == ANYTHING:
        return True
    if root.base != write.root.base:
        return False
    read, written = root.path, write.root.path
    if read and read[-1] in _OF_FORM and written == read[:-1]:
        return write.way is Way.REBOUND  # elements change, and the shape does not
    shorter = min(len(read), len(written))
    return read[:shorter] == written[:shorter]


def _outer_writes(program: Program, path: str, number: int) -> tuple[_Reach, ...]:
    found = {(w.root, w.way) for w in writes(program, (path, number)) if w.root.base[0] != "made"}
    return tuple(sorted(found)) if len(found) <= MOST_WRITES else ((ANYTHING, Way.UNKNOWN),)


def _writes(program: Program, path: str, number: int) -> tuple[Write, ...]:
    unit = program.unit((path, number))
    found: set[Write] = set()
    for index, op in enumerate(unit.ops):
        if op.kind in _MAY_WRITE:
            found.update(Write(root, way, index) for root, way in _at(program, unit, index, op))
    for name in unit.outer_names:
        outer = variable(program, unit, name)
        if outer is not None:
            found.update(Write(outer, Way.REBOUND, at) for at in unit.bindings.get(name, ()))
    return tuple(sorted(found))


_MAY_WRITE = frozenset(
    (Kind.SET_ATTRIBUTE, Kind.SET_ITEM, Kind.DELETE, Kind.BINARY, Kind.CALL, Kind.ENTER)
)


def _at(program: Program, unit: Unit, index: int, op: Op) -> Iterator[_Reach]:
    if op.kind is Kind.SET_ATTRIBUTE:
        for root in roots(program, (*unit.key, op.args[0])):
            yield root.on(op.data), Way.REBOUND
    elif op.kind is Kind.SET_ITEM:
        yield from _contents(program, unit.key, op.args[:1])
    elif op.kind is Kind.DELETE and unit.ops[op.args[0]].kind is Kind.ITEM:
        yield from _contents(program, unit.key, unit.ops[op.args[0]].args[:1])
    elif op.kind is Kind.BINARY and op.data.endswith("="):
        yield from _contents(program, unit.key, op.args[:1])
    elif op.kind is Kind.CALL:
        yield from _by_call(program, unit, index, op)
    elif op.kind is Kind.ENTER:  # a `with` block of an object of the project
        held = holds(program, (*unit.key, op.args[0]))
        if any(origin.what is What.INSTANCE for origin in held):
            for root in roots(program, (*unit.key, op.args[0])):
                yield root, Way.UNKNOWN


def _contents(program: Program, key: UnitKey, operands: Iterable[int]) -> Iterator[_Reach]:
    for operand in operands:
        if _may_change(program, (*key, operand)):
            for root in roots(program, (*key, operand)):
                yield root, Way.CONTENTS


def _may_change(program: Program, place: Place) -> bool:
    """Whether a value is not known to be a number, a text, or an array that nobody writes to."""
    held = holds(program, place)
    return not held or not all(
        origin.what is What.CONSTANT
        or (origin.what is What.OBJECT and _is_unchanging(program, origin.name))
        for origin in held
    )


def _is_unchanging(program: Program, name: str) -> bool:
    ancestry = program.knowledge.ancestry(name)
    is_array = any(array in ancestry for array in _UNCHANGED_ARRAYS)
    return is_array and "tensorflow.Variable" not in ancestry


def _by_call(program: Program, unit: Unit, index: int, op: Op) -> Iterator[_Reach]:
    place, called = (*unit.key, index), unit.ops[op.args[0]]
    if called.kind is Kind.CALL and unit.ops[called.args[0]].data == "getattr":
        yield from _contents(program, unit.key, called.args[1:2])
    if called.kind is Kind.NAME and called.data == "setattr" and len(op.args) > 2:
        name = unit.ops[op.args[2]].data
        for root in roots(program, (*unit.key, op.args[1])):
            yield (root.on(name), Way.REBOUND) if isinstance(name, str) else (root, Way.CONTENTS)
    run = callees(program, place)
    if run and has_some_arguments(program, place):
        yield ANYTHING, Way.UNKNOWN
        return
    for callee in run:
        yield from _by_callee(program, unit, place, callee)
    for callee in overrides(program, place):
        found = _by_callee(program, unit, place, callee)
        yield from ((root, Way.UNKNOWN) for root, _ in found)
    facts = facts_of(program, place)
    for fact in facts:
        yield from _by_library(program, place, op, fact)
    # What is known of calling an object says whether it changes what it is passed.
    if not facts and not run and not traits_of(program, place):
        yield from _by_unknown(program, place, op)


def _by_callee(program: Program, unit: Unit, place: Place, callee: Callee) -> Iterator[_Reach]:
    for root, way in outer_writes(program, callee.unit):
        if root.base[0] != "parameter":
            yield root, way
            if root.base[1:3] == unit.key:  # a variable of this function, written to from inside
                for bound in unit.bindings.get(root.base[3], ()):
                    for own in roots(program, (*unit.key, bound)):
                        yield own.on(*root.path), way
            continue
        operand = supplied(program, place, callee, root.base[1])
        if operand == UNBOUND:  # one of those that `*args` passes
            for passed in program.op(place).args[1:]:
                yield from ((one, way) for one in contained(program, (*unit.key, passed)))
        elif operand is not None:
            for given in contained(program, (*unit.key, operand)):
                yield given.on(*root.path), way


def _by_library(program: Program, place: Place, op: Op, fact: Fact) -> Iterator[_Reach]:
    key = place[:2]
    changed = _changed(op, fact)
    receiver = receiver_of(program, place)
    if receiver is not None:
        name = program.op((*key, op.args[0])).data
        is_trained = not fact.traits.isdisjoint(_WRITING) and fact.traits.isdisjoint(ASKING)
        if is_trained or writes_receiver(name):
            yield from _contents(program, key, (receiver,))
    elif Trait.WRITES_STATE in fact.traits and not changed:
        yield from _contents(program, key, op.args[1:2])
    yield from _contents(program, key, changed)


def _changed(op: Op, fact: Fact) -> list[int]:
    """The arguments to which a function of a library is known to write."""
    positional = len(op.args) - 1 - len(op.data)
    named = zip(op.data, op.args[1 + positional :], strict=True)
    found = [operand for name, operand in named if name == _OUTPUT]
    for parameter in fact.parameters:
        if parameter.role is ParameterRole.CHANGED:
            if parameter.name in op.data:
                found.append(op.args[1 + positional + op.data.index(parameter.name)])
            elif parameter.position is not None and parameter.position < positional:
                found.append(op.args[1 + parameter.position])
    return found


def _by_unknown(program: Program, place: Place, op: Op) -> Iterator[_Reach]:
    key = place[:2]
    callee = program.op((*key, op.args[0]))
    receiver = receiver_of(program, place)
    name = callee.data if callee.kind in (Kind.ATTRIBUTE, Kind.NAME) else ""
    if receiver is not None and writes_receiver(name):
        yield from _contents(program, key, (receiver,))
        if name in members.CHANGES and not program.definitions_of(name):
            return  # it keeps what it is passed, and leaves that alone
    is_made = any(one.what is What.CLASS for one in holds(program, (*key, op.args[0])))
    if is_made or leaves_alone(program, name, callee.kind):
        return
    if callee.kind in _CONTAINED:
        yield ANYTHING, Way.UNKNOWN  # one of a list of callbacks may be a method of anything
    if receiver is not None:
        for root in _held_by(program, (*key, receiver), name):
            yield root, Way.UNKNOWN
    for operand in op.args[1:]:
        for owner in _owner_of_method(program, (*key, operand)):
            for root in roots(program, owner):
                yield root, Way.UNKNOWN
        if _may_change(program, (*key, operand)):
            for root in contained(program, (*key, operand)):
                yield root, Way.UNKNOWN


def _owner_of_method(program: Program, place: Place) -> Iterator[Place]:
    """The object whose method is passed on, for others to call."""
    op = program.op(place)
    is_method = any(origin.what is What.BOUND for origin in holds(program, place))
    if op.kind is Kind.ATTRIBUTE and is_method:
        yield (*place[:2], op.args[0])


def _held_by(program: Program, receiver: Place, name: str) -> Iterator[Root]:
    """What calling an attribute may write to: of an object of the project what it keeps there."""
    held = holds(program, receiver)
    whole = roots(program, receiver)
    if not held or not all(origin.what is What.INSTANCE for origin in held):
        yield from whole
        return
    classes = [one for origin in held for one in line(program, origin.place[:2])]
    if any(stores(program, one, name) for one in classes):
        yield from (root.on(name) for root in whole)
