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
from deepperf.semantics.callgraph.value_flow import At, Ran, joined, went
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.classes import line, stores
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import UNKNOWN, Origin, Place, UnitKey, What
from deepperf.semantics.program.program import Program

_THROUGH = frozenset((Kind.PHI, Kind.CYCLE, Kind.CHOICE, Kind.LOGIC))
_MOST_CALLERS = 64
_TWO_STARS = 2
_STEPS_BACK = 3
_TO_WORKERS = frozenset((Trait.STARTS_WORKER, Trait.STARTS_PROCESS, Trait.HANDS_WORK_ON))


_Callers = tuple[tuple[Edge, ...], bool, tuple[UnitKey, ...]]
_NO_CALLERS: _Callers = ((), True, ())
_NO_PLACES: tuple[Place, ...] = ()
_NO_CLASSES: frozenset[UnitKey] = frozenset()


def callers(program: Program, key: UnitKey) -> tuple[Edge, ...]:
    """The calls that may run a function, in the order of their places: the first of many."""
    return _ran(program, key)[0][:_MOST_CALLERS]


def has_unseen_callers(program: Program, key: UnitKey) -> bool:
    """Whether calls may run a function that `callers` lacks: it has too many, or it, or its
    object, gets out of sight.
    """
    edges, is_all, _ = _ran(program, key)
    return len(edges) > _MOST_CALLERS or not is_all or has_unseen_objects(program, key)


def decorated_by(program: Program, key: UnitKey) -> tuple[UnitKey, ...]:
    """The functions of the project that a function is a decorator of."""
    return _ran(program, key)[2]


def _ran(program: Program, key: UnitKey) -> _Callers:
    """The callers, and one more where there are more than are followed; whether these are all, as
    far as the function itself is followed; what it decorates.
    """
    graph = program.symbolic.answers
    return program.answers.ask_beside(graph, _callers, key, bottom=_NO_CALLERS)


def _callers(program: Program, path: str, number: int) -> _Callers:
    unit = program.unit((path, number))
    if unit.kind in ("module", "class"):
        return _NO_CALLERS
    ran = joined(_runs(program, unit))
    found = sorted(ran.edges | ran.handed)
    return tuple(found[: _MOST_CALLERS + 1]), ran.is_all, tuple(sorted(ran.decorates))


def _runs(program: Program, unit: Unit) -> Iterator[Ran]:
    owner = program.enclosing_class(unit)
    yield from _given_to_decorators(program, unit)
    if owner is None:
        yield _flow(program, (unit.path, unit.parent, unit.definition), unit, 0)
        if unit.kind == "function":
            yield from _named(program, unit)
        return
    if unit.name == "__init__":
        yield Ran(frozenset(constructions(program, owner)))
        return
    ran = calls_of_objects(program, unit.key)
    yield Ran(ran.edges)
    if unit.name == "__call__":
        yield Ran(handed=ran.handed)
        return
    yield from _named(program, unit)
    for above in line(program, owner)[1:]:
        overridden = program.unit(above).bindings.get(unit.name, ())
        for index in overridden:
            op = program.unit(above).ops[index]
            if op.kind is Kind.FUNCTION:
                yield Ran(frozenset(_ran(program, (above[0], op.data))[0]))


def _given_to_decorators(program: Program, unit: Unit) -> Iterator[Ran]:
    """The calls by which decorators of the project, and what these keep it in, run a function.

    One that passes on whatever it gets has the arguments of the calls of the function's name.
    """
    parent = program.unit((unit.path, unit.parent))
    decorators = parent.ops[unit.definition].args if unit.kind == "function" else ()
    thing = Origin(What.FUNCTION, "", unit.key)
    for index in decorators:
        for decorator in holds(program, (*parent.key, index)):
            if decorator.what is What.FUNCTION:
                target = program.unit(decorator.place[:2])
                first = (*target.key, parameter_op(target, 0))
                ran = went(program, first, thing, At.PASSED)
                edges = frozenset(one for one in ran.edges if not _passes_all(program, one.call))
                yield Ran(edges, ran.handed, ran.is_all)


def _passes_all(program: Program, call: Place) -> bool:
    unit = program.unit(call[:2])
    return any(unit.ops[operand].kind is Kind.STAR for operand in unit.ops[call[2]].args[1:])


def _named(program: Program, unit: Unit) -> Iterator[Ran]:
    """The calls, in all files, by a name that may be the function's."""
    found = uses(program, unit.name)
    own = found.functions.get(unit.key, ())
    for place, skip in own:
        yield _flow(program, place, unit, skip)
    owner = program.enclosing_class(unit)
    if owner is None or unit.name.startswith("__"):
        return
    known = {place for place, _ in own}
    if _is_only(program, unit):
        for place in found.unknown:
            if place not in known:
                ran = _flow(program, place, unit, 1)
                edges = [edge._replace(is_known=False) for edge in ran.edges | ran.handed]
                yield Ran(frozenset(edges))
        return
    for place in found.unknown:
        if place not in known and owner in _passed(program, _receiver(program, place)):
            yield _flow(program, place, unit, 1)


def _receiver(program: Program, place: Place) -> Place:
    return (*place[:2], program.op(place).args[0])


def _passed(program: Program, place: Place, steps: int = _STEPS_BACK) -> frozenset[UnitKey]:
    """The classes, bases included, of what callers pass for a parameter, or for what is kept of
    one.
    """
    return program.answers.ask(_classes_passed, (*place, steps), bottom=_NO_CLASSES)


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
    thing = Origin(What.CLASS, "", owner)
    for place in names_of_class(program, owner):
        if thing in holds(program, place):
            yield from went(program, place, thing, At.ITSELF).edges


def constructed(program: Program, owner: UnitKey) -> tuple[Place, ...]:
    """The calls that make instances of a class, as far as they are seen."""
    graph = program.symbolic.answers
    return program.answers.ask_beside(graph, _constructed, owner, bottom=_NO_PLACES)


def _constructed(program: Program, path: str, number: int) -> tuple[Place, ...]:
    return tuple(sorted({edge.call for edge in constructions(program, (path, number))}))


def _flow(program: Program, place: Place, unit: Unit, skip: int) -> Ran:
    """The calls that a function leads to from a place; `skip` parameters come before."""
    ran = went(program, place, Origin(What.FUNCTION, "", unit.key), At.ITSELF)
    if not skip:
        return ran
    edges, handed = (
        frozenset(
            edge._replace(
                kind=EdgeKind.METHOD if edge.kind is EdgeKind.DIRECT else edge.kind,
                skip=edge.skip + skip,
            )
            for edge in found
        )
        for found in (ran.edges, ran.handed)
    )
    return ran._replace(edges=edges, handed=handed)


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
    return program.answers.ask(_arguments_for, (*key, parameter), bottom=())


def _arguments_for(program: Program, path: str, number: int, parameter: int) -> tuple[Place, ...]:
    target = program.unit((path, number))
    found: list[Place] = []
    for edge in callers(program, target.key):
        found += passed_by(program, edge, target, parameter)
    if len(_ran(program, target.key)[0]) > _MOST_CALLERS:
        found.append((path, number, UNBOUND))
    return tuple(dict.fromkeys(found))


def rest_for(program: Program, key: UnitKey, parameter: int) -> tuple[Place, ...]:
    """The same for `*args`, or `**options`: what callers pass that no other parameter takes."""
    return program.answers.ask(_rest_for, (*key, parameter), bottom=())


def _rest_for(program: Program, path: str, number: int, parameter: int) -> tuple[Place, ...]:
    target = program.unit((path, number))
    own = {one.name for one in target.parameters if one.passing not in ("*", "**")}
    found: list[Place] = []
    for edge in callers(program, target.key):
        unit, op = program.unit(edge.call[:2]), program.op(edge.call)
        is_seen = edge.kind not in (EdgeKind.CALLBACK, EdgeKind.PARTIAL, EdgeKind.WORKER)
        if not is_seen or any(unit.ops[operand].kind is Kind.STAR for operand in op.args[1:]):
            found.append((*unit.key, UNBOUND))
            continue
        first = len(op.args) - len(op.data)
        if target.parameters[parameter].passing == "**":
            named = zip(op.data, op.args[first:], strict=True)
            operands = [operand for name, operand in named if name not in own]
        else:
            operands = [*op.args[edge.start + max(0, parameter - edge.skip) : first]]
        found += [(*unit.key, operand) for operand in operands]
    return tuple(dict.fromkeys(found))


def passed_by(program: Program, edge: Edge, target: Unit, parameter: int) -> list[Place]:
    """The same for one call; nothing where the default is taken."""
    is_partial = edge.kind is EdgeKind.PARTIAL
    name = target.parameters[parameter].name
    if edge.kind is EdgeKind.CALLBACK or (is_partial and name not in program.op(edge.call).data):
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
    return program.answers.ask_beside(graph, _is_entered, key, bottom=False)


def _is_entered(program: Program, path: str, number: int) -> bool:
    calling = {edge.call[:2] for edge in callers(program, (path, number))}
    for key in sorted(calling):
        if program.unit(key).kind in ("module", "class") or not callers(program, key):
            return True
    return any(program.answers.ask(_is_entered, key, bottom=False) for key in sorted(calling))
