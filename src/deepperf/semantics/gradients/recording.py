"""Whether gradients are recorded where an operation stands, over callers and frameworks' hooks."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import callees
from deepperf.semantics.callgraph.calls import callers, has_unseen_callers
from deepperf.semantics.ir.table import Block, Kind, Unit
from deepperf.semantics.objects.classes import library_bases
from deepperf.semantics.objects.holds import holds, returned
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.reach import summary
from deepperf.semantics.summaries.traits import calls_in_file, traits_of

_OFF = frozenset((Trait.NO_GRADIENT, Trait.SWITCHES_GRADIENT))
_MEETINGS = frozenset((Kind.PHI, Kind.CYCLE, Kind.CHOICE, Kind.LOGIC))


def is_gradient_free(program: Program, place: Place) -> bool:
    """Whether no gradients are recorded at an operation, however it is come to.

    A switch that is told by a variable counts as one that is off.
    """
    unit = program.unit(place[:2])
    for region in unit.around(unit.ops[place[2]].region):
        block = unit.regions[region]
        if block.block is Block.WITH and _is_off(program, unit, unit.ops[block.op].args[0]):
            return True
    return _runs_free(program, unit.key)


def _runs_free(program: Program, key: UnitKey) -> bool:
    return program.answers.ask(_function_runs_free, key, bottom=True)


def _function_runs_free(program: Program, path: str, number: int) -> bool:
    unit = program.unit((path, number))
    if _is_switched_off(program, path):
        return True
    if unit.kind in ("module", "class"):
        return False
    if _is_wrapped(program, unit) or has_hook(program, unit, Trait.RUNS_WITHOUT_GRADIENT):
        return True
    edges = callers(program, unit.key)
    if has_unseen_callers(program, unit.key):
        return False
    return bool(edges) and all(is_gradient_free(program, edge.call) for edge in edges)


def is_recorded(program: Program, place: Place) -> bool:
    """Whether the program is seen to come to an operation while gradients are recorded.

    It does from what a file runs by itself, from functions that compute gradients, and from methods
    that a framework calls in training. What is called by nobody knows whom is not seen to.
    """
    return not is_gradient_free(program, place) and _is_started(program, place[:2])


def _is_started(program: Program, key: UnitKey) -> bool:
    return program.answers.ask(_function_is_started, key, bottom=False)


def _function_is_started(program: Program, path: str, number: int) -> bool:
    unit = program.unit((path, number))
    if unit.kind == "module" or Trait.BACKPROPAGATES in summary(program, unit.key):
        return True
    if has_hook(program, unit, Trait.RUNS_EACH_STEP):
        return True
    return any(is_recorded(program, edge.call) for edge in callers(program, unit.key))


def _is_off(program: Program, unit: Unit, manager: int) -> bool:
    """Whether a context manager, or one that it may be, keeps gradients from being recorded."""
    pending, seen = [manager], set[int]()
    while pending:
        index = pending.pop()
        op = unit.ops[index]
        if index in seen:
            continue
        seen.add(index)
        if op.kind in _MEETINGS:
            pending.extend(op.args)
        elif op.kind is Kind.CALL and _stops(program, (*unit.key, index)):
            return True
    return False


def _stops(program: Program, call: Place) -> bool:
    if traits_of(program, call) & _OFF:
        return True
    return any(Trait.NO_GRADIENT in summary(program, one.unit) for one in callees(program, call))


def _is_switched_off(program: Program, path: str) -> bool:
    """Whether a file turns gradients off for good, by a call that no `with` ends."""
    for call in calls_in_file(program, path, (Trait.SWITCHES_GRADIENT,)):
        unit = program.unit(call[:2])
        given = [unit.ops[argument] for argument in unit.ops[call[2]].args[1:]]
        is_false = any(one.kind is Kind.CONSTANT and one.data is False for one in given)
        if is_false and not any(unit.ops[u].kind is Kind.ENTER for u in unit.uses(call[2])):
            return True
    return False


def _is_wrapped(program: Program, unit: Unit) -> bool:
    """Whether a decorator, the library's or the project's own, turns gradients off."""
    parent = program.unit((unit.path, unit.parent))
    for index in parent.ops[unit.definition].args:
        place = (*parent.key, index)
        if traits_of(program, place) & _OFF:
            return True
        called = parent.ops[index].args[0] if parent.ops[index].kind is Kind.CALL else index
        for origin in holds(program, (*parent.key, called)):
            fact = program.fact(origin.name) if origin.name else None
            if fact is not None and Trait.NO_GRADIENT in fact.traits:
                return True
            if origin.what is not What.FUNCTION:
                continue
            made = returned(program, origin.place[:2])
            keys = [one.place[:2] for one in (origin, *made) if one.what is What.FUNCTION]
            if any(_mentions_off(program, key) for key in keys):
                return True
    return False


def _mentions_off(program: Program, key: UnitKey) -> bool:
    """Whether a function, or one that stands in it, turns gradients off."""
    units = program.units(key[0])
    inside = {key[1]}
    for unit in units:
        if unit.parent in inside:
            inside.add(unit.number)
    return any(
        Trait.NO_GRADIENT in traits_of(program, (key[0], number, index))
        for number in inside
        for index in units[number].calls
    )


def has_hook(program: Program, unit: Unit, trait: Trait) -> bool:
    """Whether it is a method that a framework calls, and that has a trait there."""
    owner = program.enclosing_class(unit)
    for base in library_bases(program, owner) if owner is not None else ():
        method = program.knowledge.method(base, unit.name)
        fact = program.fact(method) if method else None
        if fact is not None and trait in fact.traits:
            return True
    return False
