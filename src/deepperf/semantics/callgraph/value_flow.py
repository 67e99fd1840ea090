"""Where an object, a function or a class goes, and which calls run it: over variables, closures,
attributes, parameters, results, containers, and what wraps it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import Edge, EdgeKind
from deepperf.semantics.callgraph.uses import uses
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.classes import library_bases, line
from deepperf.semantics.objects.filling import GROWING, read_elsewhere
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import MOST, UNKNOWN, Held, Origin, Place, UnitKey, What
from deepperf.semantics.program.program import Program

_THROUGH = frozenset((Kind.PHI, Kind.CYCLE, Kind.CHOICE, Kind.LOGIC, Kind.AWAIT, Kind.ENTER))
_DISPLAYS = frozenset((Kind.LIST, Kind.TUPLE, Kind.SET, Kind.DICT, Kind.COLLECT))
_TAKEN_OUT = frozenset((Kind.ITEM, Kind.ELEMENT, Kind.PART))
_ANYTHING = (What.UNKNOWN, What.OBJECT)
_CONTAINING = (What.CONTAINER, What.OBJECT)
_APPLIED = 2
"""Where the arguments of a method begin that runs an object on what follows its weights."""
_RUN = {
    What.FUNCTION: (EdgeKind.DIRECT, 0),
    What.CLASS: (EdgeKind.CONSTRUCTOR, 1),
    What.INSTANCE: (EdgeKind.METHOD, 1),
}
"""What a call of each of these is, and how many parameters come before its first argument."""
_NOT_ITS_RESULT = (EdgeKind.CALLBACK, EdgeKind.WORKER)
"""Calls whose result is not that of the function which they run."""
_MOST = 65
"""More calls than these are not told apart: one more than are followed."""


class At(enum.IntEnum):
    """Where the value is: what an operation gives, or something in that.

    What a function was passed goes back, if it returns it, to the call that passed it, and to no
    other; all else that it returns goes to all its calls.
    """

    ITSELF = 1
    INSIDE = 2
    PASSED = 3  # itself, in the function that it was passed to
    PASSED_INSIDE = 4

    @property
    def is_itself(self) -> bool:
        return self in (At.ITSELF, At.PASSED)

    @property
    def is_passed(self) -> bool:
        return self in (At.PASSED, At.PASSED_INSIDE)

    @property
    def inside(self) -> At:
        """The same for what it is put into."""
        return At.PASSED_INSIDE if self.is_passed else At.INSIDE

    @property
    def taken_out(self) -> At:
        """The same for what it is taken out of."""
        return At.PASSED if self.is_passed else At.ITSELF

    @property
    def elsewhere(self) -> At:
        """The same in other functions."""
        return At.ITSELF if self.is_itself else At.INSIDE


class Ran(NamedTuple):
    """The calls that run a value, those of libraries that get it, and whether these are all.

    `decorates` are the functions of the project that it is a decorator of, `gives` says where in
    its results the function has it that it was passed to.
    """

    edges: frozenset[Edge] = frozenset()
    handed: frozenset[Edge] = frozenset()
    is_all: bool = True
    decorates: frozenset[UnitKey] = frozenset()
    gives: frozenset[At] = frozenset()


NONE = Ran()
LOST = Ran(is_all=False)


def joined(found: Iterable[Ran]) -> Ran:
    """All calls of several; the first of many, and then not all."""
    ran = [one for one in found if one is not NONE]
    if len(ran) < 2:
        return ran[0] if ran else NONE
    edges = _first(frozenset[Edge]().union(*[one.edges for one in ran]))
    handed = _first(frozenset[Edge]().union(*[one.handed for one in ran]))
    decorates = frozenset[UnitKey]().union(*[one.decorates for one in ran])
    is_all = max(len(edges), len(handed)) < _MOST and all(one.is_all for one in ran)
    gives = frozenset[At]().union(*[one.gives for one in ran])
    return Ran(edges, handed, is_all, decorates, gives)


def _first(edges: frozenset[Edge]) -> frozenset[Edge]:
    return edges if len(edges) <= _MOST else frozenset(sorted(edges)[:_MOST])


def may_be(held: Held, thing: Origin) -> bool:
    """Whether what an operation holds may be a value: an instance, a class, or a function, also
    as a method.
    """
    if thing.what is not What.FUNCTION:
        return thing in held
    return any(
        origin.what in (What.FUNCTION, What.BOUND) and origin.place[:2] == thing.place
        for origin in held
    )


def reads_of(program: Program, name: str, thing: Origin) -> tuple[Place, ...]:
    """The operations that read something by a name that is a value."""
    found = uses(program, name)
    if thing.what is What.FUNCTION:
        return tuple([place for place, _ in found.functions.get(thing.place[:2], ())])
    if thing.what is What.CLASS:
        return found.classes.get(thing.place[:2], ())
    return found.values.get(thing, ())


def went(program: Program, place: Place, thing: Origin, at: At) -> Ran:
    """The calls of a value that an operation gives, or that is in what it gives."""
    if place[2] == UNBOUND:
        return LOST
    return program.answers.ask(_went_from, (*place, thing, at), bottom=NONE)


def _went_from(program: Program, path: str, number: int, index: int, thing: Origin, at: At) -> Ran:
    unit = program.unit((path, number))
    follow = _of_value if at.is_itself else _of_container
    users = unit.uses(index)
    if not at.is_itself and len(users) > _MOST:
        return LOST  # each of what many lines put into it would be followed through all of them
    found = [follow(program, unit, index, user, thing, at) for user in users]
    return joined([*found, *_read(program, unit, index, thing, at)])


def _read(program: Program, unit: Unit, index: int, thing: Origin, at: At) -> Iterator[Ran]:
    """What other functions, and other files, do with the variable that something is bound to."""
    for name, bound in unit.bindings.items():
        if index not in bound or _is_own_name(program, thing, name, at):
            continue
        if unit.kind != "class":
            for reader, read in read_elsewhere(program, unit, name):
                yield went(program, (*reader.key, read), thing, at.elsewhere)
        if unit.kind in ("module", "class"):
            held = holds(program, (*unit.key, index))
            origins = _known(held, thing) if at.is_itself else _containers(held)
            for origin in origins:
                yield by_name(program, name, origin, thing, at.elsewhere)


def by_name(program: Program, name: str, origin: Origin, thing: Origin, at: At) -> Ran:
    """What all do that read something by a name, or as an attribute, which is a value, or has it.

    A question of its own: a thousand files may bind the name, and a thousand read it.
    """
    return program.answers.ask(_went_by_name, (name, origin, thing, at), bottom=NONE)


def _went_by_name(program: Program, name: str, origin: Origin, thing: Origin, at: At) -> Ran:
    return joined(went(program, read, thing, at) for read in reads_of(program, name, origin))


def _containers(held: Held) -> list[Origin]:
    return [one for one in held if one.what in _CONTAINING and one.place]


def _is_own_name(program: Program, thing: Origin, name: str, at: At) -> bool:
    """Whether a function is read by its own name, where each read is followed anyhow."""
    if thing.what not in (What.FUNCTION, What.CLASS) or not at.is_itself:
        return False
    return program.unit(thing.place[:2]).name == name


def _known(held: Held, thing: Origin) -> list[Origin]:
    """Of what an operation holds the value, and what is made of others, it among them."""
    own = [thing] if may_be(held, thing) else []
    return own + [one for one in held if one.what is What.OBJECT and one.place and one != thing]


def _of_value(program: Program, unit: Unit, index: int, user: int, thing: Origin, at: At) -> Ran:
    """What a use of a value leads to."""
    from deepperf.semantics.callgraph.argument_flow import passed

    op, here = unit.ops[user], (*unit.key, user)
    if op.kind in _THROUGH:
        return went(program, here, thing, at)
    if op.kind in _DISPLAYS:
        if len(op.args) > MOST and thing.what is not What.INSTANCE:
            return LOST  # what is taken out of it may be anything
        inside = went(program, here, thing, at.inside)
        return joined((inside, _spread(program, unit, index, user, thing)))
    if op.kind is Kind.CALL:
        if op.args[0] == index:
            kind, skip = _RUN[thing.what]
            return Ran(frozenset((Edge(here, kind, 1, skip),)))
        return passed(program, unit, index, user, thing, at)
    if op.kind is Kind.ATTRIBUTE:
        return _asked(program, unit, user, thing, at)
    if op.kind is Kind.SET_ATTRIBUTE:
        return _kept(program, unit, index, op, thing) if op.args[1] == index else NONE
    if op.kind is Kind.SET_ITEM:
        return put(program, (*unit.key, op.args[0]), thing) if op.args[2] == index else NONE
    if op.kind is Kind.RETURN:
        return _returned(program, unit, thing, at)
    if op.kind is Kind.FUNCTION:
        return Ran(decorates=frozenset(((unit.path, op.data),)))
    return LOST if op.kind in (Kind.YIELD, Kind.STAR) else NONE


def _of_container(
    program: Program, unit: Unit, index: int, user: int, thing: Origin, at: At
) -> Ran:
    """What a use of something that has the value in it leads to."""
    from deepperf.semantics.callgraph.argument_flow import passed_inside

    op, here = unit.ops[user], (*unit.key, user)
    if op.kind in _THROUGH or op.kind in (Kind.STAR, Kind.BINARY):
        return went(program, here, thing, at)
    if op.kind in _TAKEN_OUT:
        found = taken(program, here, thing, at)
        if UNKNOWN in holds(program, here):  # what was followed into it is in it
            return joined((found, went(program, here, thing, at.taken_out)))
        return found
    if op.kind is Kind.CALL:
        if op.args[0] == index:
            return NONE
        return passed_inside(program, unit, index, user, thing, at)
    if op.kind is Kind.ATTRIBUTE:
        if op.data in GROWING:
            return NONE
        gone = [
            taken(program, (*unit.key, call), thing, at)
            for call in unit.uses(user)
            if unit.ops[call].kind is Kind.CALL and unit.ops[call].args[0] == user
        ]
        return joined([*gone, taken(program, here, thing, at)])
    if op.kind is Kind.SET_ATTRIBUTE and op.args[1] == index:
        reads = [
            by_name(program, op.data, origin, thing, At.INSIDE)
            for origin in holds(program, (*unit.key, index))
            if origin.place
        ]
        return joined(reads)
    if op.kind is Kind.RETURN:
        return _returned(program, unit, thing, at)
    is_lost = op.kind is Kind.SET_ITEM and op.args[2] == index
    return LOST if is_lost or op.kind in _DISPLAYS or op.kind is Kind.YIELD else NONE


def _spread(program: Program, unit: Unit, index: int, display: int, thing: Origin) -> Ran:
    """The parameters that the value becomes where `**` passes the dictionary it is in."""
    from deepperf.semantics.callgraph.calls import spread_to

    op = unit.ops[display]
    entries = zip(op.data, op.args, strict=True) if op.kind is Kind.DICT else ()
    names = [unit.ops[key].data for key, value in entries if value == index and key >= 0]
    places = [at for name in names for at in spread_to(program, (*unit.key, display), name)]
    return joined(went(program, place, thing, At.ITSELF) for place in places)


def taken(program: Program, here: Place, thing: Origin, at: At) -> Ran:
    """What is taken out of a container: the value, or something that still has it."""
    held = holds(program, here)
    found = []
    if may_be(held, thing):
        found.append(went(program, here, thing, at.taken_out))
    if _containers(held):
        found.append(went(program, here, thing, at))
    is_lost = not found and any(origin.what in _ANYTHING for origin in held)
    return LOST if is_lost else joined(found)


def _asked(program: Program, unit: Unit, attribute: int, thing: Origin, at: At) -> Ran:
    """A method of an object that gives the object, or runs it."""
    if thing.what is not What.INSTANCE:
        return NONE
    name = unit.ops[attribute].data
    calls = [c for c in unit.uses(attribute) if unit.ops[c].args[0] == attribute]
    found = []
    for call in calls:
        if unit.ops[call].kind is not Kind.CALL:
            continue
        for base in library_bases(program, thing.place[:2]):
            method = program.knowledge.method(base, name)
            fact = program.fact(method) if method else None
            if fact is None:
                continue
            here = (*unit.key, call)
            if fact.returns == "$self":
                found.append(went(program, here, thing, at))
            elif {Trait.APPLIES_MODEL, Trait.RUNS_MODEL} <= fact.traits:
                found.append(Ran(frozenset((Edge(here, EdgeKind.METHOD, _APPLIED, 1),))))
            elif fact.traits & {Trait.RUNS_MODEL, Trait.TRAINS}:
                found.append(LOST)
            break
    return joined(found)


def _kept(program: Program, unit: Unit, index: int, op: Op, thing: Origin) -> Ran:
    """The reads of an attribute that the value is kept in."""
    known = _known(holds(program, (*unit.key, index)), thing)
    if known:
        return joined(by_name(program, op.data, one, thing, At.ITSELF) for one in known)
    return kept_under(program, op.data, classes_at(program, (*unit.key, op.args[0])), thing)


def kept_under(program: Program, name: str, keepers: frozenset[UnitKey], thing: Origin) -> Ran:
    """The reads of an attribute of objects of some classes, of those that may give anything."""
    if not keepers:
        return LOST
    return program.answers.ask(_went_under, (name, keepers, thing), bottom=NONE)


def _went_under(program: Program, name: str, keepers: frozenset[UnitKey], thing: Origin) -> Ran:
    reads = [
        read
        for read in uses(program, name).unknown
        if _are_related(program, keepers, classes_at(program, _receiver(program, read)))
    ]
    return joined(went(program, read, thing, At.ITSELF) for read in reads)


def _receiver(program: Program, read: Place) -> Place:
    return (*read[:2], program.op(read).args[0])


def classes_at(program: Program, place: Place) -> frozenset[UnitKey]:
    """The classes of the project of which something may be an instance."""
    held = holds(program, place)
    return frozenset(origin.place[:2] for origin in held if origin.what is What.INSTANCE)


def _are_related(program: Program, some: frozenset[UnitKey], others: frozenset[UnitKey]) -> bool:
    """Whether a class of one set inherits from a class of the other, or is it."""
    above = [{one for key in keys for one in line(program, key)} for keys in (some, others)]
    return not above[0].isdisjoint(others) or not above[1].isdisjoint(some)


def put(program: Program, container: Place, thing: Origin) -> Ran:
    """The value is put into a container that is made elsewhere."""
    found = [
        went(program, origin.place, thing, At.INSIDE)
        for origin in holds(program, container)
        if origin.what in _CONTAINING and len(origin.place) == len(container)
    ]
    return joined(found) if found else LOST


def _returned(program: Program, unit: Unit, thing: Origin, at: At) -> Ran:
    """What those do with a value who call the function that returns it, or are decorated by it."""
    from deepperf.semantics.callgraph.calls import callers, decorated_by, has_unseen_callers

    if at.is_passed:
        return Ran(gives=frozenset((at.elsewhere,)))
    found = [
        LOST if edge.kind in _NOT_ITS_RESULT else went(program, edge.call, thing, at)
        for edge in callers(program, unit.key)
    ]
    if at.is_itself:
        found += [in_place_of(program, key, thing) for key in decorated_by(program, unit.key)]
    if not found:
        return LOST
    return joined([*found, LOST if has_unseen_callers(program, unit.key) else NONE])


def in_place_of(program: Program, key: UnitKey, thing: Origin) -> Ran:
    """The calls of a function that run what its decorator gave in its place."""
    from deepperf.semantics.callgraph.calls import callers, has_unseen_callers

    skip = _RUN[thing.what][1]
    edges = [edge._replace(skip=edge.skip + skip) for edge in callers(program, key)]
    return Ran(frozenset(edges), is_all=not has_unseen_callers(program, key))
