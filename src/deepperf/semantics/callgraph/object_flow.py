"""Where an object goes, and which calls run it: over variables, attributes, parameters, results,
containers, and what wraps it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import Edge, EdgeKind, argument_for, callees
from deepperf.semantics.callgraph.uses import uses
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.classes import library_bases, line
from deepperf.semantics.objects.contents import GIVEN, KEYED
from deepperf.semantics.objects.filling import GROWING, read_elsewhere
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import UNKNOWN, Held, Origin, Place, UnitKey, What
from deepperf.semantics.program.program import Program

_THROUGH = frozenset((Kind.PHI, Kind.CYCLE, Kind.CHOICE, Kind.LOGIC, Kind.AWAIT, Kind.ENTER))
_DISPLAYS = frozenset((Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT, Kind.COLLECT))
_TAKEN_OUT = frozenset((Kind.ITEM, Kind.ELEMENT, Kind.PART))
_WRAPPING = frozenset((Trait.WRAPS_FUNCTION, Trait.COMPILES, Trait.GIVES_BACK))
LOOKING = frozenset(
    f"builtins.{name}"
    for name in ("isinstance", "issubclass", "super", "type", "id", "print", "hasattr", "getattr")
)
"""Functions that look at an object or class, and neither keep nor call it."""
_ANYTHING = (What.UNKNOWN, What.OBJECT)
_APPLIED = 2
"""Where the arguments of a method begin that runs an object on what follows its weights."""


class At(enum.IntEnum):
    """Where the object is: what an operation gives, or something in that."""

    ITSELF = 1
    INSIDE = 2


class Ran(NamedTuple):
    """The calls that run an object, those of libraries that get it, and whether these are all."""

    edges: frozenset[Edge] = frozenset()
    handed: frozenset[Edge] = frozenset()
    is_all: bool = True


NONE = Ran()
_LOST = Ran(is_all=False)


def joined(found: Iterable[Ran]) -> Ran:
    """All calls of several."""
    ran = list(found)
    edges = frozenset[Edge]().union(*[one.edges for one in ran])
    handed = frozenset[Edge]().union(*[one.handed for one in ran])
    return Ran(edges, handed, all(one.is_all for one in ran))


def went(program: Program, place: Place, owner: UnitKey, at: At) -> Ran:
    """The calls of an object of a class that an operation gives, or that is in what it gives."""
    if place[2] == UNBOUND:
        return _LOST
    return program.answers.ask(_went_from, *place, owner, at, bottom=NONE)


def _went_from(program: Program, path: str, number: int, index: int, owner: UnitKey, at: At) -> Ran:
    unit = program.unit((path, number))
    follow = _of_object if at is At.ITSELF else _of_container
    found = [follow(program, unit, index, user, owner) for user in unit.uses(index)]
    found += [went(program, read, owner, at) for read in _reads(program, unit, index, at)]
    return joined(found)


def _reads(program: Program, unit: Unit, index: int, at: At) -> Iterator[Place]:
    """Where other functions read the variable that something is bound to."""
    held = holds(program, (*unit.key, index))
    for name, bound in unit.bindings.items():
        if index not in bound or unit.kind == "class":
            continue
        for reader, read in read_elsewhere(program, unit, name):
            yield (*reader.key, read)
        if unit.kind == "module":
            elsewhere = uses(program, name).values
            for origin in held if at is At.ITSELF else ():
                yield from (one for one in elsewhere.get(origin, ()) if one[0] != unit.path)


def _of_object(program: Program, unit: Unit, index: int, user: int, owner: UnitKey) -> Ran:
    """What a use of an object leads to."""
    op, here = unit.ops[user], (*unit.key, user)
    if op.kind in _THROUGH:
        return went(program, here, owner, At.ITSELF)
    if op.kind in _DISPLAYS:
        inside = went(program, here, owner, At.INSIDE)
        return joined((inside, _spread(program, unit, index, user, owner)))
    if op.kind is Kind.CALL:
        if op.args[0] == index:
            return Ran(frozenset((Edge(here, EdgeKind.METHOD, 1, 1),)))
        return _passed(program, unit, index, user, owner)
    if op.kind is Kind.ATTRIBUTE:
        return _asked(program, unit, user, owner)
    if op.kind is Kind.SET_ATTRIBUTE:
        return _kept(program, unit, index, op, owner) if op.args[1] == index else NONE
    if op.kind is Kind.SET_ITEM:
        return _put(program, (*unit.key, op.args[0]), owner) if op.args[2] == index else NONE
    if op.kind is Kind.RETURN:
        return _returned(program, unit, owner, At.ITSELF)
    return _LOST if op.kind in (Kind.YIELD, Kind.STAR) else NONE


def _of_container(program: Program, unit: Unit, index: int, user: int, owner: UnitKey) -> Ran:
    """What a use of something that has the object in it leads to."""
    op, here = unit.ops[user], (*unit.key, user)
    if op.kind in _THROUGH or op.kind is Kind.STAR:
        return went(program, here, owner, At.INSIDE)
    if op.kind in _TAKEN_OUT:
        taken = _taken(program, here, owner)
        if UNKNOWN in holds(program, here):  # what was followed into it is in it
            return joined((taken, went(program, here, owner, At.ITSELF)))
        return taken
    if op.kind is Kind.CALL:
        if op.args[0] == index:
            return NONE
        return _passed_inside(program, unit, index, user, owner)
    if op.kind is Kind.ATTRIBUTE:
        if op.data in GROWING:
            return NONE
        found = [
            _taken(program, (*unit.key, call), owner)
            for call in unit.uses(user)
            if unit.ops[call].kind is Kind.CALL and unit.ops[call].args[0] == user
        ]
        return joined([*found, _taken(program, here, owner)])
    if op.kind is Kind.SET_ATTRIBUTE and op.args[1] == index:
        reads = [
            went(program, read, owner, At.INSIDE)
            for origin in holds(program, (*unit.key, index))
            if origin.place
            for read in uses(program, op.data).values.get(origin, ())
        ]
        return joined(reads)
    if op.kind is Kind.RETURN:
        return _returned(program, unit, owner, At.INSIDE)
    if op.kind in _DISPLAYS:
        return _LOST
    return _LOST if op.kind is Kind.YIELD else NONE


def _spread(program: Program, unit: Unit, index: int, display: int, owner: UnitKey) -> Ran:
    """The parameters that the object becomes where `**` passes the dictionary it is in."""
    from deepperf.semantics.callgraph.calls import spread_to

    op = unit.ops[display]
    entries = zip(op.data, op.args, strict=True) if op.kind is Kind.DICT else ()
    names = [unit.ops[key].data for key, value in entries if value == index and key >= 0]
    places = [at for name in names for at in spread_to(program, (*unit.key, display), name)]
    return joined(went(program, place, owner, At.ITSELF) for place in places)


def _taken(program: Program, here: Place, owner: UnitKey) -> Ran:
    """What is taken out of a container: the object, or something that still has it."""
    held = holds(program, here)
    found = []
    if Origin(What.INSTANCE, "", owner) in held:
        found.append(went(program, here, owner, At.ITSELF))
    if _may_contain(held):
        found.append(went(program, here, owner, At.INSIDE))
    is_lost = not found and any(origin.what in _ANYTHING for origin in held)
    return _LOST if is_lost else joined(found)


def _may_contain(held: Held) -> bool:
    kinds = (What.CONTAINER, What.OBJECT)
    return any(origin.what in kinds and origin.place for origin in held)


def _asked(program: Program, unit: Unit, attribute: int, owner: UnitKey) -> Ran:
    """A method of the object that gives the object, or runs it."""
    name = unit.ops[attribute].data
    calls = [c for c in unit.uses(attribute) if unit.ops[c].args[0] == attribute]
    found = []
    for call in calls:
        if unit.ops[call].kind is not Kind.CALL:
            continue
        for base in library_bases(program, owner):
            method = program.knowledge.method(base, name)
            fact = program.fact(method) if method else None
            if fact is None:
                continue
            here = (*unit.key, call)
            if fact.returns == "$self":
                found.append(went(program, here, owner, At.ITSELF))
            elif {Trait.APPLIES_MODEL, Trait.RUNS_MODEL} <= fact.traits:
                found.append(Ran(frozenset((Edge(here, EdgeKind.METHOD, _APPLIED, 1),))))
            elif fact.traits & {Trait.RUNS_MODEL, Trait.TRAINS}:
                found.append(_LOST)
            break
    return joined(found)


def _kept(program: Program, unit: Unit, index: int, op: Op, owner: UnitKey) -> Ran:
    """The reads of an attribute that the object is kept in."""
    found = uses(program, op.data)
    known = [
        origin
        for origin in holds(program, (*unit.key, index))
        if origin == Origin(What.INSTANCE, "", owner)
        or (origin.what is What.OBJECT and origin.place)  # it is made of others
    ]
    if known:
        return joined(
            went(program, read, owner, At.ITSELF)
            for origin in known
            for read in found.values.get(origin, ())
        )
    # A parameter: of the reads that may give anything those of objects of the same class.
    keepers = _classes_at(program, (*unit.key, op.args[0]))
    if not keepers:
        return _LOST
    reads = [
        read
        for read in found.unknown
        if _are_related(program, keepers, _classes_at(program, _receiver(program, read)))
    ]
    return joined(went(program, read, owner, At.ITSELF) for read in reads)


def _receiver(program: Program, read: Place) -> Place:
    return (*read[:2], program.op(read).args[0])


def _classes_at(program: Program, place: Place) -> frozenset[UnitKey]:
    held = holds(program, place)
    return frozenset(origin.place[:2] for origin in held if origin.what is What.INSTANCE)


def _are_related(program: Program, some: frozenset[UnitKey], others: frozenset[UnitKey]) -> bool:
    """Whether a class of one set inherits from a class of the other, or is it."""
    above = [{one for key in keys for one in line(program, key)} for keys in (some, others)]
    return not above[0].isdisjoint(others) or not above[1].isdisjoint(some)


def _put(program: Program, container: Place, owner: UnitKey) -> Ran:
    """The object is put into a container that is made elsewhere."""
    found = [
        went(program, origin.place, owner, At.INSIDE)
        for origin in holds(program, container)
        if origin.what in (What.CONTAINER, What.OBJECT) and len(origin.place) == len(container)
    ]
    return joined(found) if found else _LOST


def _returned(program: Program, unit: Unit, owner: UnitKey, at: At) -> Ran:
    from deepperf.semantics.callgraph.calls import callers, has_unseen_callers

    edges = callers(program, unit.key)
    if not edges:
        return _LOST
    seen = [went(program, edge.call, owner, at) for edge in edges]
    return joined([*seen, Ran(is_all=not has_unseen_callers(program, unit.key))])


def _passed(program: Program, unit: Unit, index: int, user: int, owner: UnitKey) -> Ran:
    """The object is an argument of a call."""
    from deepperf.semantics.callgraph.calls import handed_over

    op, here = unit.ops[user], (*unit.key, user)
    own = list(_parameters(program, here, index))
    if own:
        return joined(went(program, place, owner, At.ITSELF) for place in own)
    callee = unit.ops[op.args[0]]
    if callee.kind is Kind.ATTRIBUTE and callee.data in GROWING:
        return _put(program, (*unit.key, callee.args[0]), owner)
    found = []
    is_known = True
    for origin in holds(program, (*unit.key, op.args[0])):
        known = program.knowledge.type(origin.name) if origin.name else None
        fact = program.fact(origin.name) if origin.name else None
        if known is not None and Trait.RUNS_PARTS in known.call_traits:
            found.append(went(program, here, owner, At.ITSELF))
            found.append(went(program, here, owner, At.INSIDE))
        elif fact is not None and fact.traits & _WRAPPING:
            found.append(_wrapped(program, unit, index, user, owner))
        elif is_instance(program, here, owner):
            found.append(went(program, here, owner, At.ITSELF))  # a copy
        else:
            is_known &= origin.name in LOOKING
    handed = () if is_known else (handed_over(program, here, op, index),)
    return joined([*found, Ran(handed=frozenset(handed), is_all=is_known)])


def _wrapped(program: Program, unit: Unit, index: int, user: int, owner: UnitKey) -> Ran:
    """What a call gives back of the object: of several arguments a tuple."""
    op = unit.ops[user]
    positional = len(op.args) - 1 - len(op.data)
    if positional <= 1:
        return went(program, (*unit.key, user), owner, At.ITSELF)
    position = op.args.index(index) - 1
    parts = [
        went(program, (*unit.key, part), owner, At.ITSELF)
        for part in unit.uses(user)
        if unit.ops[part].kind is Kind.PART and unit.ops[part].data == position
    ]
    return joined(parts) if parts else _LOST


def _passed_inside(program: Program, unit: Unit, index: int, user: int, owner: UnitKey) -> Ran:
    """Something that has the object in it is an argument of a call."""
    here = (*unit.key, user)
    own = list(_parameters(program, here, index))
    if own:
        return joined(went(program, place, owner, At.INSIDE) for place in own)
    for origin in holds(program, (*unit.key, unit.ops[user].args[0])):
        known = program.knowledge.type(origin.name) if origin.name else None
        if known is not None and Trait.RUNS_PARTS in known.call_traits:
            both = (At.ITSELF, At.INSIDE)
            return joined(went(program, here, owner, at) for at in both)
        if known is not None and known.yields in (GIVEN, KEYED):
            return went(program, here, owner, At.INSIDE)
    return _taken(program, here, owner)


def _parameters(program: Program, call: Place, index: int) -> Iterator[Place]:
    """The parameters of the project's functions that an operand of a call becomes."""
    from deepperf.semantics.callgraph.calls import parameter_op

    for callee in callees(program, call):
        target = program.unit(callee.unit)
        for number in range(len(target.parameters)):
            if argument_for(program, call, callee, target, number) == index:
                yield (*target.key, parameter_op(target, number))


def is_instance(program: Program, place: Place, owner: UnitKey) -> bool:
    """Whether an operation may give an instance of a class."""
    return Origin(What.INSTANCE, "", owner) in holds(program, place)
