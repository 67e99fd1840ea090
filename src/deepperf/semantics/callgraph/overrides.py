"""What a call may run beside what the text names: methods of subclasses, and parts of `partial`."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import Callee, callees
from deepperf.semantics.callgraph.calls import arguments_for
from deepperf.semantics.ir.table import UNBOUND, Kind
from deepperf.semantics.objects.classes import bases, stores
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.names import places_bound
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program

_NO_CLASSES: tuple[UnitKey, ...] = ()
_AROUND = frozenset((Trait.WRAPS_FUNCTION, Trait.COMPILES))
_MEETINGS = frozenset((Kind.PHI, Kind.CYCLE, Kind.CHOICE, Kind.LOGIC))


def overrides(program: Program, call: Place) -> tuple[Callee, ...]:
    """The methods that subclasses have in the place of one which an object calls of itself."""
    unit = program.unit(call[:2])
    callee = unit.ops[unit.ops[call[2]].args[0]]
    if callee.kind is not Kind.ATTRIBUTE:
        return ()
    receiver = unit.ops[callee.args[0]]
    if receiver.kind is not Kind.PARAMETER or receiver.data != 0:
        return ()
    found = [one for run in callees(program, call) for one in _overriding(program, run.unit)]
    return tuple([Callee(key, 1, 1) for key in dict.fromkeys(found)])


def _overriding(program: Program, key: UnitKey) -> Iterator[UnitKey]:
    unit = program.unit(key)
    owner = program.enclosing_class(unit)
    for one in subclasses(program, owner) if owner is not None else ():
        body = program.unit(one)
        for index in body.bindings.get(unit.name, ()):
            if body.ops[index].kind is Kind.FUNCTION:
                yield (body.path, body.ops[index].data)


def subclasses(program: Program, owner: UnitKey) -> tuple[UnitKey, ...]:
    """The classes of the project that inherit from one, directly or not."""
    return program.answers.ask(_subclasses, owner, bottom=_NO_CLASSES)


def _subclasses(program: Program, path: str, number: int) -> tuple[UnitKey, ...]:
    owner = program.unit((path, number))
    found: set[UnitKey] = set()
    for name in program.naming(owner.name):
        for unit in program.units(name):
            direct = unit.kind == "class" and any(
                base.what is What.CLASS and base.place[:2] == owner.key
                for base in bases(program, unit.key)
            )
            if direct and unit.key not in found:
                found.update((unit.key, *subclasses(program, unit.key)))
    return tuple(sorted(found))


def has_some_arguments(program: Program, call: Place) -> bool:
    """Whether what a call runs may have been given some of its arguments before: by `partial`."""
    callee = program.op(call).args[0]
    place = (*call[:2], callee)
    functions = [o for o in holds(program, place) if o.what is What.FUNCTION]
    # A function that is called by its own name was given none.
    name = program.op(place).data
    if all(program.unit(origin.place[:2]).name == name for origin in functions):
        return False
    return program.answers.ask(_is_partial, place, bottom=False)


def _is_partial(program: Program, path: str, number: int, index: int) -> bool:
    op = program.op((path, number, index))
    if op.kind is Kind.CALL:
        held = holds(program, (path, number, op.args[0]))
        if any(origin.name == "functools.partial" for origin in held):
            return True
    return any(
        program.answers.ask(_is_partial, one, bottom=False)
        for one in _made_of(program, (path, number, index))
        if one[2] != UNBOUND
    )


def _wraps(program: Program, callee: Place) -> bool:
    """Whether what a callee gives runs the function that it is passed."""
    facts = (program.fact(origin.name) for origin in holds(program, callee) if origin.name)
    return any(fact is not None and fact.traits & _AROUND for fact in facts)


def _made_of(program: Program, place: Place) -> Iterator[Place]:
    """Where a function value comes from, over variables, parameters and attributes."""
    unit, op = program.unit(place[:2]), program.op(place)
    if op.kind in _MEETINGS:
        yield from ((*unit.key, one) for one in op.args)
    elif op.kind is Kind.CALL:
        if _wraps(program, (*unit.key, op.args[0])):
            yield from ((*unit.key, one) for one in op.args[1:2])
        for run in callees(program, place):
            target = program.unit(run.unit)
            yield from ((*target.key, target.ops[index].args[0]) for index in target.returns)
    elif op.kind is Kind.NAME:
        yield from places_bound(program, unit, op.data)
    elif op.kind is Kind.PARAMETER:
        yield from arguments_for(program, unit.key, op.data)
    elif op.kind is Kind.ATTRIBUTE:
        for origin in holds(program, (*unit.key, op.args[0])):
            if origin.what is What.INSTANCE:
                for at in stores(program, origin.place[:2], op.data):
                    yield (*at[:2], program.op(at).args[1])
