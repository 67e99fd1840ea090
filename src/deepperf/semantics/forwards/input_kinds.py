"""What a value is computed from: samples of a data set alone, or draws and trained models too."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import Edge, callees
from deepperf.semantics.callgraph.calls import (
    arguments_for,
    callers,
    has_unseen_callers,
    passed_by,
)
from deepperf.semantics.forwards.drawing import DRAWING
from deepperf.semantics.forwards.frozen import is_frozen
from deepperf.semantics.forwards.runs import is_run
from deepperf.semantics.frequency.loops import LoopKind, loop_kind
from deepperf.semantics.gradients.recording import has_hook
from deepperf.semantics.ir.table import UNBOUND, Block, Kind, Unit
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.names import places_bound
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.reach import reached_by
from deepperf.semantics.summaries.traits import facts_of, traits_of


class InputKind(enum.Enum):
    """A kind of thing that a value is computed from."""

    DATA = "data"  # what a loader gives a step
    DRAWN = "drawn"  # random numbers, as of an augmentation
    LEARNT = "learnt"  # what a model gives that may be trained
    UNKNOWN = "unknown"


InputKinds = frozenset[InputKind]
Way = tuple[Place, ...]
"""Calls of functions inside each other, the innermost first."""
_NOTHING: InputKinds = frozenset()
_COMPUTING = (
    *(Trait.COMPUTES, Trait.ARRANGES, Trait.VIEWS, Trait.CASTS, Trait.MOVES, Trait.ADDS_AXIS),
    *(Trait.CONVERTS, Trait.PURE, Trait.CUTS_GRADIENT, Trait.TOKENIZES, Trait.JOINS),
)
_NAMES = frozenset((Kind.CONSTANT, Kind.FUNCTION, Kind.CLASS, Kind.IMPORT, Kind.UNBOUND))
_FIXED = frozenset((What.LIBRARY, What.FUNCTION, What.CLASS, What.MODULE))


def input_kinds(program: Program, place: Place, way: Way = ()) -> InputKinds:
    """What a value is computed from, over functions and variables; nothing for what is fixed.

    The calls of `way` say which callers are asked about; of other functions all are.
    """
    if place[2] == UNBOUND:
        return _NOTHING
    return program.answers.ask(_input_kinds, (*place, way), bottom=_NOTHING)


def _input_kinds(program: Program, path: str, number: int, index: int, way: Way) -> InputKinds:
    unit = program.unit((path, number))
    op = unit.ops[index]
    if op.kind in _NAMES:
        return _NOTHING
    if op.kind is Kind.NAME:
        return _of_name(program, unit, index, way)
    if op.kind is Kind.PARAMETER:
        return _of_parameter(program, unit, op.data, way)
    if op.kind is Kind.ELEMENT:
        kind = loop_kind(program, (path, number, op.data))
        if kind in (LoopKind.STEP, LoopKind.BATCH):
            return frozenset((InputKind.DATA,))
    if op.kind is Kind.CALL:
        return _of_call(program, unit, index, way)
    operands = op.args[1:] if op.kind is Kind.CHOICE else op.args
    return _all(program, unit, (*operands, *_tests(unit, index)), way)


def _all(program: Program, unit: Unit, operands: Iterable[int], way: Way) -> InputKinds:
    found = [input_kinds(program, (*unit.key, operand), way) for operand in operands]
    return _NOTHING.union(*found)


def _tests(unit: Unit, index: int) -> Iterator[int]:
    """What decides which of the values that meet somewhere it is."""
    op = unit.ops[index]
    if op.kind is Kind.CHOICE:
        yield op.args[0]
    if op.kind is not Kind.PHI:
        return
    for part in op.args:
        for region in unit.around(unit.ops[part].region):
            if unit.within(op.region, region):
                break
            if unit.regions[region].block in (Block.THEN, Block.ELSE):
                yield unit.regions[region].op


def _of_name(program: Program, unit: Unit, index: int, way: Way) -> InputKinds:
    place = (*unit.key, index)
    held = holds(program, place)
    if held and all(origin.what in _FIXED for origin in held):
        return _NOTHING
    bound = places_bound(program, unit, unit.ops[index].data)
    return _NOTHING.union(*[input_kinds(program, one, way) for one in bound])


def _of_parameter(program: Program, unit: Unit, number: int, way: Way) -> InputKinds:
    if number == 0 and program.enclosing_class(unit) is not None:
        return _NOTHING
    if has_hook(program, unit, Trait.RUNS_EACH_STEP):
        return frozenset((InputKind.DATA,))
    edge, outer = _on_way(program, unit, way)
    if edge is not None:
        places = tuple(passed_by(program, edge, unit, number))
        is_known = True
    else:
        places = arguments_for(program, unit.key, number)
        is_known = bool(places) and not has_unseen_callers(program, unit.key)
    if not is_known or any(place[2] == UNBOUND for place in places):
        return frozenset((InputKind.UNKNOWN,))
    return _NOTHING.union(*[input_kinds(program, place, outer) for place in places])


def _on_way(program: Program, unit: Unit, way: Way) -> tuple[Edge | None, Way]:
    """The call on a way that runs a function, and the calls around that."""
    edges = {edge.call: edge for edge in callers(program, unit.key)} if way else {}
    for at, call in enumerate(way):
        if call in edges:
            return edges[call], way[at + 1 :]
    return None, way


def _of_call(program: Program, unit: Unit, index: int, way: Way) -> InputKinds:
    place = (*unit.key, index)
    op = unit.ops[index]
    reached = reached_by(program, place)
    if any(trait in reached for trait in DRAWING):
        return frozenset((InputKind.DRAWN,))
    callee = unit.ops[op.args[0]]
    receiver = callee.args[:1] if callee.kind is Kind.ATTRIBUTE else ()
    if _only_moves(program, unit, index):
        return _all(program, unit, receiver, way)
    found = _all(program, unit, (*receiver, *op.args[1:]), way)
    if is_run(program, place):
        return found if is_frozen(program, place) else found | {InputKind.LEARNT}
    if Trait.GIVES_NEXT in reached:
        return frozenset((InputKind.DATA,))
    if callees(program, place):
        learns = Trait.RUNS_MODULE in reached or Trait.RUNS_MODEL in reached
        return found | {InputKind.LEARNT} if learns else found
    held = holds(program, (*unit.key, op.args[0]))
    if held and all(origin.name.startswith("builtins.") for origin in held):
        return found
    if facts_of(program, place) or not traits_of(program, place).isdisjoint(_COMPUTING):
        return found
    is_named = callee.kind is Kind.ATTRIBUTE and callee.data in program.knowledge.method_names(
        _COMPUTING
    )
    return found if is_named else found | {InputKind.UNKNOWN}


def _only_moves(program: Program, unit: Unit, index: int) -> bool:
    """Whether a method gives the numbers of its object, on whatever device it is told."""
    callee = unit.ops[unit.ops[index].args[0]]
    if callee.kind is not Kind.ATTRIBUTE or callees(program, (*unit.key, index)):
        return False
    if facts_of(program, (*unit.key, index)):
        return Trait.MOVES in traits_of(program, (*unit.key, index))
    return callee.data in program.knowledge.method_names((Trait.MOVES,))
