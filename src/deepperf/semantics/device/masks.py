"""Indices that are arrays of truth values: they pick as many elements as are true."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import callees, instance_bases
from deepperf.semantics.callgraph.calls import arguments_for
from deepperf.semantics.device.residence import is_array
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.entries import entries
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import UNKNOWN, Place
from deepperf.semantics.program.program import Program
from deepperf.semantics.program.three_valued import all_true, any_true
from deepperf.semantics.summaries.traits import traits_of

_DEEPEST = 3
"""Functions, each returning what the next one does, through which a mask is followed."""


def is_mask(program: Program, place: Place, depth: int = _DEEPEST) -> bool | None:
    """Whether an index is an array of truth values; None where it may be."""
    unit, op = program.unit(place[:2]), program.op(place)
    if op.kind is Kind.COMPARE:
        return any_true(_is_compared(program, (*place[:2], part)) for part in op.args)
    if op.kind is Kind.CALL:
        if run := callees(program, place):
            results = [one for callee in run for one in _results(program.unit(callee.unit))]
            asked = (is_mask(program, one, depth - 1) for one in results)
            return all_true(asked) if depth and results else None
        traits = traits_of(program, place)
        callee = unit.ops[op.args[0]]
        if traits & {Trait.VIEWS, Trait.MOVES}:
            return bool(callee.args) and is_mask(program, (*place[:2], callee.args[0]), depth)
        return Trait.GIVES_BOOLEANS in traits
    if op.kind is Kind.ITEM or (op.kind is Kind.UNARY and op.data == "Invert"):
        kept = _under_key(program, unit, op) if op.kind is Kind.ITEM else None
        found = kept if kept is not None else (*place[:2], op.args[0])
        return is_mask(program, found, depth - 1) if depth else None
    if op.kind is Kind.PARAMETER:
        passed = arguments_for(program, unit.key, op.data) if depth else ()
        seen = [one for one in passed if one[2] != UNBOUND]
        return all_true(is_mask(program, one, depth - 1) for one in seen) if seen else False
    if op.kind is Kind.BINARY and op.data in ("BitAnd", "BitOr"):
        return any_true(is_mask(program, (*place[:2], part)) for part in op.args)
    return False


def _results(unit: Unit) -> list[Place]:
    return [(*unit.key, op.args[0]) for op in unit.ops if op.kind is Kind.RETURN]


def _under_key(program: Program, unit: Unit, op: Op) -> Place | None:
    """What a dict that is written out, or that a caller writes out, has under a name."""
    key = unit.ops[op.args[1]]
    if key.kind is not Kind.CONSTANT or not isinstance(key.data, str):
        return None
    found = entries(program, (*unit.key, op.args[0]))
    return dict(found.under).get(key.data) if found is not None else None


def is_array_by_method(program: Program, place: Place) -> bool | None:
    """As `is_array`, where something unknown is taken for an array that is asked for a sum."""
    known, op = is_array(program, place), program.op(place)
    if known is not None or op.kind is not Kind.CALL:
        return known
    callee = program.op((*place[:2], op.args[0]))
    if callee.kind is not Kind.ATTRIBUTE:
        return None
    is_unknown = UNKNOWN in holds(program, (*place[:2], callee.args[0]))
    reducing = program.knowledge.method_names((Trait.REDUCES,))
    return True if is_unknown and callee.data in reducing else None


def _is_compared(program: Program, place: Place) -> bool | None:
    if "numpy.ndarray" in instance_bases(program, place):
        return True
    return is_array_by_method(program, place)
