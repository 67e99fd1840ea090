"""What a call supplies for each parameter of the function that it runs, its object included."""

from __future__ import annotations

from deepperf.semantics.callgraph.callees import Callee, argument_for
from deepperf.semantics.ir.table import UNBOUND, Kind
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program


def supplied(program: Program, call: Place, callee: Callee, parameter: int) -> int | None:
    """The operand of a call that becomes a parameter, the receiver for `self`.

    None where the default does, or a new object; UNBOUND where it cannot be told.
    """
    target = program.unit(callee.unit)
    if parameter < callee.skip:
        return _object(program, call)
    if target.parameters[parameter].passing in ("*", "**"):
        return UNBOUND
    return argument_for(program, call, callee, target, parameter)


def receiver_of(program: Program, call: Place) -> int | None:
    """The operand whose method a call runs; None for functions of modules, and all others."""
    unit = program.unit(call[:2])
    callee = unit.ops[unit.ops[call[2]].args[0]]
    if callee.kind is not Kind.ATTRIBUTE:
        return None
    held = holds(program, (*call[:2], callee.args[0]))
    if held and all(origin.what in (What.LIBRARY, What.MODULE) for origin in held):
        return None
    return callee.args[0]


def _object(program: Program, call: Place) -> int | None:
    unit = program.unit(call[:2])
    index = unit.ops[call[2]].args[0]
    kinds = {origin.what for origin in holds(program, (*call[:2], index))}
    if What.CLASS in kinds:
        return None
    if What.INSTANCE in kinds:
        return index  # its `__call__` is run
    callee = unit.ops[index]
    return _receiver(program, call, callee.args[0]) if callee.kind is Kind.ATTRIBUTE else UNBOUND


def _receiver(program: Program, call: Place, receiver: int) -> int:
    """The receiver of a method; for `super()` the object of the method that it stands in."""
    unit = program.unit(call[:2])
    op = unit.ops[receiver]
    if op.kind is Kind.CALL and unit.ops[op.args[0]].data == "super":
        return next((n for n, one in enumerate(unit.ops) if one.kind is Kind.PARAMETER), UNBOUND)
    return receiver
