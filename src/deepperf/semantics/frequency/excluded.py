"""What a call's constant arguments make impossible in the function that it runs."""

from __future__ import annotations

from deepperf.semantics.callgraph.callees import Callee, argument_for
from deepperf.semantics.ir.table import UNBOUND, Block, Kind, Op, Unit
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program


def is_excluded(program: Program, call: Place, callee: Callee, target: Unit, region: int) -> bool:
    """Whether a call's constant arguments make a region of the function it runs impossible."""
    caller = program.unit(call[:2])
    for number in target.around(region):
        block = target.regions[number]
        if block.block not in (Block.THEN, Block.ELSE):
            continue
        truth = _truth(program, caller, call, callee, target, target.ops[block.op].args[0])
        if truth is not None and truth is not (block.block is Block.THEN):
            return True
    return False


def _is_impossible(program: Program, call: Place, callee: Callee, target: Unit, index: int) -> bool:
    region = target.ops[index].region
    return is_excluded(program, call, callee, target, region)


def _truth(
    program: Program, caller: Unit, call: Place, callee: Callee, target: Unit, index: int
) -> bool | None:
    op = target.ops[index]
    if op.kind is Kind.UNARY and op.data == "Not":
        inner = _truth(program, caller, call, callee, target, op.args[0])
        return None if inner is None else not inner
    if op.kind is Kind.LOGIC:
        parts = [_truth(program, caller, call, callee, target, part) for part in op.args]
        deciding: bool = op.data == "or"
        if deciding in parts:
            return deciding
        return None if None in parts else not deciding
    if op.kind is Kind.COMPARE and op.data in (("Is",), ("IsNot",)):
        if (
            target.ops[op.args[1]].kind is not Kind.CONSTANT
            or target.ops[op.args[1]].data is not None
        ):
            return None
        value = _passed(program, caller, call, callee, target, op.args[0])
        if value is None:
            return None
        is_none = value.kind is Kind.CONSTANT and value.data is None
        if value.kind is Kind.UNBOUND or _may_be_none(caller, value):
            return None
        return is_none is (op.data == ("Is",))
    if op.kind is Kind.COMPARE and op.data in (("Eq",), ("NotEq",)):
        value = _passed(program, caller, call, callee, target, op.args[0])
        other = target.ops[op.args[1]]
        if value is None or not value.kind is other.kind is Kind.CONSTANT:
            return None
        return bool(value.data == other.data) is (op.data == ("Eq",))
    if op.kind is Kind.PARAMETER:
        value = _passed(program, caller, call, callee, target, index)
        return bool(value.data) if value is not None and value.kind is Kind.CONSTANT else None
    return None


def _may_be_none(unit: Unit, value: Op) -> bool:
    """Whether what is passed is itself an option that None is the default of."""
    if value.kind is not Kind.PARAMETER or value.args[1] == UNBOUND:
        return False
    default = unit.ops[value.args[1]]
    return default.kind is Kind.CONSTANT and default.data is None


def _passed(
    program: Program, caller: Unit, call: Place, callee: Callee, target: Unit, index: int
) -> Op | None:
    """The operation whose result a call passes for a parameter, its default where none is."""
    op = target.ops[index]
    if op.kind is Kind.PHI:
        # What a branch assigns that the call makes impossible is none of the values.
        arms = [arm for arm in op.args if not _is_impossible(program, call, callee, target, arm)]
        return _passed(program, caller, call, callee, target, arms[0]) if len(arms) == 1 else None
    if op.kind is not Kind.PARAMETER or target.parameters[op.data].passing in ("*", "**"):
        return None
    operand = argument_for(program, call, callee, target, op.data)
    if operand is None:
        return target.ops[op.args[1]] if op.args[1] != UNBOUND else None
    return caller.ops[operand] if operand != UNBOUND else None
