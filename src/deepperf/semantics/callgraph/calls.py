"""The edges of the call graph, in both directions, and how arguments meet parameters."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import (
    Edge,
    EdgeKind,
    argument_for,
    callees,
)
from deepperf.semantics.callgraph.object_calls import calls_of_objects, has_unseen_objects
from deepperf.semantics.callgraph.uses import names_of_class, uses
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.classes import line, stores
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import UNKNOWN, Place, UnitKey, What
from deepperf.semantics.program.program import Program

_THROUGH = frozenset((Kind.PHI, Kind.CYCLE, Kind.CHOICE, Kind.LOGIC))
_MOST_CALLERS = 64
_TWO_STARS = 2
_STEPS_BACK = 3
_TO_WORKERS = frozenset((Trait.STARTS_WORKER, Trait.STARTS_PROCESS, Trait.HANDS_WORK_ON))


_NO_EDGES: tuple[Edge, ...] = ()
_NO_CLASSES: frozenset[UnitKey] = frozenset()


def callers(program: Program, key: UnitKey) -> tuple[Edge, ...]:
    """The calls that may run a function, in the order of their places: the first of many."""
    return _first_callers(program, key)[:_MOST_CALLERS]


def has_unseen_callers(program: Program, key: UnitKey) -> bool:
    """Whether calls may run a function that `callers` lacks: it has too many, or its object gets
    out of sight.
    """
    if len(_first_callers(program, key)) > _MOST_CALLERS:
        return True
    return has_unseen_objects(program, key)


def _first_callers(program: Program, key: UnitKey) -> tuple[Edge, ...]:
    """The callers, and one more where there are more than are followed."""
    graph = program.symbolic.answers
    return program.answers.ask_beside(graph, _callers, *key, bottom=())


def _callers(program: Program, path: str, number: int) -> tuple[Edge, ...]:
    unit = program.unit((path, number))
    if unit.kind in ("module", "class"):
        return ()
    found = dict.fromkeys(_edges(program, unit))
    return tuple(sorted(found)[: _MOST_CALLERS + 1])


def _edges(program: Program, unit: Unit) -> Iterator[Edge]:
    parent = program.unit((unit.path, unit.parent))
    owner = program.enclosing_class(unit)
    if owner is None:
        yield from _flows(program, (*parent.key, unit.definition), 0)
        if unit.kind == "function":
            yield from _named(program, unit)
        return
    if unit.name == "__init__":
        yield from constructions(program, owner)
        return
    ran = calls_of_objects(program, unit.key)
    yield from ran.edges
    if unit.name == "__call__":
        yield from ran.handed
        return
    yield from _named(program, unit)
    for above in line(program, owner)[1:]:
        overridden = program.unit(above).bindings.get(unit.name, ())
        for index in overridden:
            op = program.unit(above).ops[index]
            if op.kind is Kind.FUNCTION:
                yield from _first_callers(program, (above[0], op.data))


def _named(program: Program, unit: Unit) -> Iterator[Edge]:
    """The calls, in all files, by a name that may be the function's."""
    found = uses(program, unit.name)
    own = found.functions.get(unit.key, ())
    for place, skip in own:
        yield from _flows(program, place, skip)
    owner = program.enclosing_class(unit)
    if owner is None or unit.name.startswith("__"):
        return
    known = {place for place, _ in own}
    if _is_only(program, unit):
        for place in found.unknown:
            if place not in known:
                for edge in _flows(program, place, 1):
                    yield edge._replace(is_known=False)
        return
    for place in found.unknown:
        if place not in known and owner in _passed(program, _receiver(program, place)):
            yield from _flows(program, place, 1)


def _receiver(program: Program, place: Place) -> Place:
    return (*place[:2], program.op(place).args[0])


def _passed(program: Program, place: Place, steps: int = _STEPS_BACK) -> frozenset[UnitKey]:
    """The classes, bases included, of what callers pass for a parameter, or for what is kept of
    one.
    """
    return program.answers.ask(_classes_passed, *place, steps, bottom=_NO_CLASSES)


def _classes_passed(
    program: Program, path: str, number: int, index: int, steps: int
) -> frozenset[UnitKey]:
    held = holds(program, (path, number, index))
    found = _NO_CLASSES.union(
        *[line(program, origin.place[:2]) for origin in held if origin.what is What.INSTANCE]
    )
    if UNKNOWN not in held or steps == 0:
        return found
    given = (one for one in _given_to(program, (path, number, index)) if one[2] != UNBOUND)
    return found.union(*[_passed(program, one, steps - 1) for one in given])


def _given_to(program: Program, place: Place) -> Iterator[Place]:
    """What callers pass for a parameter; what an attribute of a known object is set to."""
    op = program.op(place)
    if op.kind is Kind.PARAMETER:
        yield from arguments_for(program, place[:2], op.data)
    elif op.kind is Kind.ATTRIBUTE:
        for origin in holds(program, (*place[:2], op.args[0])):
            if origin.what is What.INSTANCE:
                for kept in stores(program, origin.place[:2], op.data):
                    yield (*kept[:2], program.op(kept).args[1])


def _is_only(program: Program, unit: Unit) -> bool:
    """Whether a method of an unknown object can only be this one, as far as names tell."""
    if unit.name in program.library_method_names:
        return False
    return program.definitions_of(unit.name) == 1


def constructions(program: Program, owner: UnitKey) -> Iterator[Edge]:
    """The calls of a class that make its instances."""
    for place in names_of_class(program, owner):
        held = holds(program, place)
        if any(origin.what is What.CLASS and origin.place[:2] == owner for origin in held):
            for edge in _flows(program, place, 1):
                if edge.kind is EdgeKind.METHOD:
                    yield edge._replace(kind=EdgeKind.CONSTRUCTOR)


def _flows(program: Program, place: Place, skip: int) -> Iterator[Edge]:
    """The calls that a function value at a place leads to; `skip` parameters come before."""
    edges: tuple[Edge, ...] = program.answers.ask(_flows_from, *place, bottom=_NO_EDGES)
    for edge in edges:
        if skip:
            kind = EdgeKind.METHOD if edge.kind is EdgeKind.DIRECT else edge.kind
            edge = edge._replace(kind=kind, skip=edge.skip + skip)  # noqa: PLW2901
        yield edge


def _flows_from(program: Program, path: str, number: int, index: int) -> tuple[Edge, ...]:
    unit = program.unit((path, number))
    found: list[Edge] = []
    for user in unit.uses(index):
        op = unit.ops[user]
        here = (path, number, user)
        if op.kind in _THROUGH:
            found += _flows(program, here, 0)
        elif op.kind is Kind.CALL:
            if op.args[0] == index:
                found.append(Edge(here, EdgeKind.DIRECT, 1, 0))
            else:
                found += _handed(program, here, op, index)
        elif op.kind is Kind.SET_ATTRIBUTE:
            found += _stored(program, (path, number, index), op.data)
        elif op.kind is Kind.DICT:
            for key, value in zip(op.data, op.args, strict=True):
                if value == index and key >= 0:
                    for inner in spread_to(program, here, unit.ops[key].data):
                        flowing = _flows(program, inner, 0)
                        found += [edge._replace(kind=EdgeKind.CALLBACK) for edge in flowing]
    return tuple(sorted(set(found))[: _MOST_CALLERS + 1])


def spread_to(program: Program, made: Place, name: str) -> Iterator[Place]:
    """The parameters that an entry of a dictionary becomes which `**` passes on."""
    unit = program.unit(made[:2])
    for user in unit.uses(made[2]):
        op, here = unit.ops[user], (made[0], made[1], user)
        if op.kind in _THROUGH and user > made[2]:
            yield from spread_to(program, here, name)
        elif op.kind is Kind.STAR and op.data == _TWO_STARS:
            for call in unit.uses(user):
                if unit.ops[call].kind is Kind.CALL:
                    yield from _named_as(program, (made[0], made[1], call), name)


def _named_as(program: Program, call: Place, name: str) -> Iterator[Place]:
    """The parameters of a name that the functions have which a call runs."""
    for callee in callees(program, call):
        target = program.unit(callee.unit)
        for number, parameter in enumerate(target.parameters):
            if parameter.name == name:
                yield (*target.key, parameter_op(target, number))


def _stored(program: Program, place: Place, name: str) -> Iterator[Edge]:
    """The calls of a function that is kept under an attribute."""
    found = uses(program, name)
    for origin in holds(program, place):
        reads = found.unknown if origin == UNKNOWN else found.values.get(origin, ())
        for read in reads:
            yield from _flows(program, read, 0)


def _handed(program: Program, here: Place, op: Op, index: int) -> Iterator[Edge]:
    """The calls by which what a function is handed to runs it."""
    own = callees(program, here)
    for callee in own:
        target = program.unit(callee.unit)
        for parameter in range(len(target.parameters)):
            if argument_for(program, here, callee, target, parameter) == index:
                inner = (*target.key, parameter_op(target, parameter))
                for edge in _flows(program, inner, 0):
                    yield edge._replace(kind=EdgeKind.CALLBACK)
    if own:
        return
    for origin in holds(program, (here[0], here[1], op.args[0])):
        fact = program.fact(origin.name) if origin.name else None
        if fact is not None and fact.traits & {Trait.WRAPS_FUNCTION, Trait.COMPILES}:
            yield from _flows(program, here, 0)
            return
    yield handed_over(program, here, op, index)


def handed_over(program: Program, here: Place, op: Op, index: int) -> Edge:
    """The edge to a function that a library's function is given to run."""
    kind, start = EdgeKind.CALLBACK, len(op.args)
    for origin in holds(program, (here[0], here[1], op.args[0])):
        fact = program.fact(origin.name) if origin.name else None
        if fact is not None and fact.traits & _TO_WORKERS:
            kind = EdgeKind.WORKER
            start = op.args.index(index) + 1
    return Edge(here, kind, start, 0)


def parameter_op(unit: Unit, parameter: int) -> int:
    """The operation that is a parameter of a function."""
    for index, op in enumerate(unit.ops):
        if op.kind is Kind.PARAMETER and op.data == parameter:
            return index
    return UNBOUND


def arguments_for(program: Program, key: UnitKey, parameter: int) -> tuple[Place, ...]:
    """The operations whose results callers pass for a parameter.

    Where some caller's argument can't be told, the parameter may hold anything: the place of
    that call's unbound operand is among them, or one of the function's own where callers are too
    many.
    """
    return program.answers.ask(_arguments_for, *key, parameter, bottom=())


def _arguments_for(program: Program, path: str, number: int, parameter: int) -> tuple[Place, ...]:
    target = program.unit((path, number))
    found: list[Place] = []
    for edge in callers(program, target.key):
        found += passed_by(program, edge, target, parameter)
    if len(_first_callers(program, target.key)) > _MOST_CALLERS:
        found.append((path, number, UNBOUND))
    return tuple(dict.fromkeys(found))


def passed_by(program: Program, edge: Edge, target: Unit, parameter: int) -> list[Place]:
    """The same for one call; nothing where the default is taken."""
    if edge.kind is EdgeKind.CALLBACK:
        return [(edge.call[0], edge.call[1], UNBOUND)]
    operand = argument_for(program, edge.call, edge, target, parameter)
    if operand == UNBOUND:
        return _unpacked(program, edge.call, target.parameters[parameter].name)
    return [] if operand is None else [(edge.call[0], edge.call[1], operand)]


def _unpacked(program: Program, call: Place, name: str) -> list[Place]:
    """What `**` passes for a parameter: the entries of dictionaries that are written out."""
    unit = program.unit(call[:2])
    unknown = (call[0], call[1], UNBOUND)
    stars = [unit.ops[i] for i in program.op(call).args[1:] if unit.ops[i].kind is Kind.STAR]
    if [star.data for star in stars] != [_TWO_STARS]:
        return [unknown]
    places: list[Place] = []
    for origin in holds(program, (call[0], call[1], stars[0].args[0])):
        if origin.what is not What.CONTAINER or origin.name != "dict":
            return [unknown]
        at = program.unit(origin.place[:2])
        made = at.ops[origin.place[2]]
        entries = zip(made.data, made.args, strict=True)
        named = [value for key, value in entries if key >= 0 and at.ops[key].data == name]
        places += [(*at.key, value) for value in named] or [unknown]
    return places or [unknown]


def is_entered(program: Program, key: UnitKey) -> bool:
    """Whether a call from outside of functions that only call each other is seen."""
    graph = program.symbolic.answers
    return program.answers.ask_beside(graph, _is_entered, *key, bottom=False)


def _is_entered(program: Program, path: str, number: int) -> bool:
    calling = {edge.call[:2] for edge in callers(program, (path, number))}
    for key in sorted(calling):
        if program.unit(key).kind in ("module", "class") or not callers(program, key):
            return True
    return any(program.answers.ask(_is_entered, *key, bottom=False) for key in sorted(calling))
