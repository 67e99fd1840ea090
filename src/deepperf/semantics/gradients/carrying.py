"""Which values hold on to the graph of operations that gradients are computed from."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import Callee, callees
from deepperf.semantics.callgraph.calls import arguments_for
from deepperf.semantics.gradients.recording import is_gradient_free
from deepperf.semantics.ir.table import UNBOUND, Kind, Op, Unit
from deepperf.semantics.objects.classes import stores
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import traits_of

CUTTING = frozenset((Trait.CUTS_GRADIENT, Trait.TELLS_SHAPE))
HANDED_ON = frozenset(
    (
        *(Kind.BINARY, Kind.UNARY, Kind.PHI, Kind.CYCLE, Kind.LOGIC, Kind.TUPLE, Kind.LIST),
        *(Kind.DICT, Kind.STAR, Kind.ELEMENT, Kind.PART),
    )
)
CUT_ATTRIBUTES = frozenset(("data", "grad", "shape", "device", "dtype", "ndim", "requires_grad"))
_KEEPING_BUILTINS = frozenset(f"builtins.{name}" for name in ("sum", "max", "min", "abs", "list"))


def carries_graph(program: Program, place: Place) -> bool:
    """Whether a value is, or holds, a tensor made by a model while gradients are recorded."""
    if place[2] == UNBOUND:
        return False
    return program.answers.ask(_carries, place, bottom=False)


def _carries(program: Program, path: str, number: int, index: int) -> bool:
    unit = program.unit((path, number))
    op = unit.ops[index]
    if is_backpropagated(program, (path, number, index)):
        return True
    if op.kind is Kind.CALL:
        return _call_carries(program, unit, index, op)
    if op.kind is Kind.PART:
        return _part_carries(program, unit, op)
    if op.kind in HANDED_ON:
        return _any(program, unit, op.args)
    if op.kind in (Kind.ITEM, Kind.AWAIT):
        return _any(program, unit, op.args[:1])
    if op.kind is Kind.CHOICE:
        return _any(program, unit, op.args[1:])
    if op.kind is Kind.ATTRIBUTE:
        return op.data not in CUT_ATTRIBUTES and _attribute_carries(program, unit, op)
    if op.kind is Kind.PARAMETER:
        places = arguments_for(program, unit.key, op.data)
        return any(carries_graph(program, place) for place in places)
    return False


def _any(program: Program, unit: Unit, operands: Iterable[int]) -> bool:
    return any(carries_graph(program, (*unit.key, operand)) for operand in operands)


def is_backpropagated(program: Program, place: Place) -> bool:
    """Whether a gradient is computed from it, by a method of it."""
    unit = program.unit(place[:2])
    for user in unit.uses(place[2]):
        if unit.ops[user].kind is Kind.ATTRIBUTE:
            for call in unit.uses(user):
                is_called = unit.ops[call].kind is Kind.CALL and unit.ops[call].args[0] == user
                traits = traits_of(program, (*unit.key, call)) if is_called else ()
                if Trait.BACKPROPAGATES in traits:
                    return True
    return False


def _call_carries(program: Program, unit: Unit, index: int, op: Op) -> bool:
    place = (*unit.key, index)
    traits = traits_of(program, place)
    if traits & CUTTING or is_gradient_free(program, place):
        return False
    own = callees(program, place)
    if own:
        return any(_returns(program, callee) for callee in own)
    if Trait.RUNS_MODULE in traits:
        return True
    callee = unit.ops[op.args[0]]
    for origin in holds(program, (*unit.key, op.args[0])):
        if origin.name.startswith("builtins.") and origin.name not in _KEEPING_BUILTINS:
            return False
    receiver = callee.args[:1] if callee.kind is Kind.ATTRIBUTE else ()
    return _any(program, unit, (*receiver, *op.args[1:]))


def _returns(program: Program, callee: Callee) -> bool:
    target = program.unit(callee.unit)
    if any(is_gradient_free(program, (*target.key, r)) for r in target.returns):
        return False
    return any(_any(program, target, target.ops[r].args) for r in target.returns)


def _part_carries(program: Program, unit: Unit, op: Op) -> bool:
    """Of several results the one that is taken; the second of `max` and its kin are indices."""
    made = unit.ops[op.args[0]]
    if made.kind is not Kind.CALL or not isinstance(op.data, int):
        return _any(program, unit, op.args)
    place = (*unit.key, op.args[0])
    if op.data == 1 and Trait.REDUCES in traits_of(program, place):
        return False
    found = []
    for callee in callees(program, place):
        target = program.unit(callee.unit)
        for result in target.returns:
            value = target.ops[result].args[0]
            display = target.ops[value]
            if display.kind is Kind.TUPLE and op.data < len(display.args):
                value = display.args[op.data]
            found.append(carries_graph(program, (*target.key, value)))
    return any(found) if found else _any(program, unit, op.args)


def _attribute_carries(program: Program, unit: Unit, op: Op) -> bool:
    for origin in holds(program, (*unit.key, op.args[0])):
        if origin.what is What.INSTANCE:
            for place in stores(program, origin.place[:2], op.data):
                if carries_graph(program, (*place[:2], program.op(place).args[1])):
                    return True
            return False
    return _any(program, unit, op.args)
