"""The calls that run a method because its object is called: `model(x)` runs `forward`.

An object is followed from where it is made. Where it gets out of sight, others may call it, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.semantics.callgraph.argument_flow import LOOKING
from deepperf.semantics.callgraph.callees import run_by
from deepperf.semantics.callgraph.uses import names_of_class
from deepperf.semantics.callgraph.value_flow import NONE, At, Ran, in_place_of, joined, went
from deepperf.semantics.ir.table import UNBOUND_METHODS, Kind, Unit
from deepperf.semantics.objects.classes import line
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Origin, Place, UnitKey, What
from deepperf.semantics.program.program import Program

RUN_BY_CALLING = ("__call__", "forward", "call")
"""The methods that calling an object may run."""


def calls_of_objects(program: Program, key: UnitKey) -> Ran:
    """The calls of objects that run a method of their class."""
    unit = program.unit(key)
    owner = program.enclosing_class(unit)
    if owner is None or unit.name not in RUN_BY_CALLING:
        return NONE
    graph = program.symbolic.answers
    return program.answers.ask_beside(graph, _calls_of_objects, key, bottom=NONE)


def has_unseen_objects(program: Program, key: UnitKey) -> bool:
    """Whether calls may run a method that are not seen, since its object gets out of sight."""
    unit = program.unit(key)
    if unit.name not in RUN_BY_CALLING or program.enclosing_class(unit) is None:
        return False
    return not calls_of_objects(program, key).is_all


def _calls_of_objects(program: Program, path: str, number: int) -> Ran:
    from deepperf.semantics.callgraph.overrides import subclasses

    unit = program.unit((path, number))
    owner = program.enclosing_class(unit)
    if owner is None:
        return NONE
    found = []
    for made_of in (owner, *subclasses(program, owner)):
        run = run_by(program, Origin(What.INSTANCE, "", made_of))
        if any(callee.unit == unit.key for callee in run):
            found.append(program.answers.ask(_calls_of_instances, made_of, bottom=NONE))
    return joined(found)


def _calls_of_instances(program: Program, path: str, number: int) -> Ran:
    """The calls of the instances of a class itself."""
    from deepperf.semantics.callgraph.overrides import subclasses

    owner = (path, number)
    thing = Origin(What.INSTANCE, "", owner)
    made = [went(program, place, thing, At.ITSELF) for place in _made(program, owner)]
    made += [in_place_of(program, key, thing) for key in _decorated(program, owner)]
    own = [went(program, place, thing, At.ITSELF) for place in _selves(program, owner)]
    is_made = bool(made or subclasses(program, owner))
    return joined([*made, *own, Ran(is_all=is_made and not _gets_out(program, owner))])


def _made(program: Program, owner: UnitKey) -> Iterator[Place]:
    """Where an instance is made, or a parameter is annotated with its class."""
    from deepperf.semantics.callgraph.calls import constructions

    yield from (edge.call for edge in constructions(program, owner))
    for at, index in _named(program, owner):
        for user in at.uses(index):
            op = at.ops[user]
            if op.kind is Kind.PARAMETER:
                yield (*at.key, user)
            elif op.kind is Kind.ATTRIBUTE:  # a method of the class that makes one
                for call in at.uses(user):
                    made = (*at.key, call)
                    thing = Origin(What.INSTANCE, "", owner)
                    if at.ops[call].kind is Kind.CALL and thing in holds(program, made):
                        yield made


def _decorated(program: Program, owner: UnitKey) -> Iterator[UnitKey]:
    """The functions in whose place an instance is put by the class, which is their decorator."""
    thing = Origin(What.CLASS, "", owner)
    for at, index in _named(program, owner):
        yield from sorted(went(program, (*at.key, index), thing, At.ITSELF).decorates)


def _named(program: Program, owner: UnitKey) -> Iterator[tuple[Unit, int]]:
    """Where a class is defined, and where it is named: functions and operations of them."""
    for place in names_of_class(program, owner):
        yield program.unit(place[:2]), place[2]


def _gets_out(program: Program, owner: UnitKey) -> bool:
    """Whether a class itself is taken by something that may make instances: a decorator, a table,
    a function.
    """
    unit = program.unit(owner)
    parent = program.unit((unit.path, unit.parent))
    definition = parent.ops[unit.definition]
    if len(definition.args) > definition.data[1]:
        return True
    return any(
        _takes(program, at, user, index)
        for at, index in _named(program, owner)
        for user in at.uses(index)
    )


def _takes(program: Program, unit: Unit, user: int, index: int) -> bool:
    op = unit.ops[user]
    if op.kind is not Kind.CALL:
        return op.kind not in (Kind.PARAMETER, Kind.CLASS, Kind.ATTRIBUTE)
    held = holds(program, (*unit.key, op.args[0])) if op.args[0] != index else ()
    return not all(origin.name in LOOKING for origin in held)


def _selves(program: Program, owner: UnitKey) -> Iterator[Place]:
    """The object itself in the methods that it has."""
    for one in line(program, owner):
        units = program.units(one[0])
        body = program.unit(one)
        for bound in body.bindings.values():
            for index in bound:
                op = body.ops[index]
                if op.kind is not Kind.FUNCTION or body.plain_decorators(op) & UNBOUND_METHODS:
                    continue
                method = units[op.data]
                for number, first in enumerate(method.ops):
                    if first.kind is Kind.PARAMETER and first.data == 0:
                        yield (*method.key, number)
                        break
