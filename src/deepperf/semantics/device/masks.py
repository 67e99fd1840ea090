"""Indices that are arrays of truth values: they pick as many elements as are true."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import instance_bases
from deepperf.semantics.device.residence import is_array
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import UNKNOWN, Place
from deepperf.semantics.program.program import Program
from deepperf.semantics.program.three_valued import any_true
from deepperf.semantics.summaries.traits import traits_of


def is_mask(program: Program, place: Place) -> bool | None:
    """Whether an index is an array of truth values; None where it may be."""
    unit, op = program.unit(place[:2]), program.op(place)
    if op.kind is Kind.COMPARE:
        return any_true(_is_compared(program, (*place[:2], part)) for part in op.args)
    if op.kind is Kind.CALL:
        traits = traits_of(program, place)
        callee = unit.ops[op.args[0]]
        if traits & {Trait.VIEWS, Trait.MOVES}:
            return bool(callee.args) and is_mask(program, (*place[:2], callee.args[0]))
        return Trait.GIVES_BOOLEANS in traits
    if op.kind is Kind.ITEM or (op.kind is Kind.UNARY and op.data == "Invert"):
        return is_mask(program, (*place[:2], op.args[0]))
    if op.kind is Kind.BINARY and op.data in ("BitAnd", "BitOr"):
        return any_true(is_mask(program, (*place[:2], part)) for part in op.args)
    return False


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
