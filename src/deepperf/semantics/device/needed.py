"""Whether the work goes on only with what the host reads from the device."""

from __future__ import annotations

from collections.abc import Sequence

from deepperf.knowledge.schema import Trait
from deepperf.semantics.device.waits import launches
from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import traits_of

_USES = frozenset((Trait.SAVES, Trait.PLOTS))
"""What does something with a value at once that it could not do with a tensor."""


def is_needed(program: Program, chain: Sequence[Place]) -> bool:
    """Whether a value that is read decides what is done next, or becomes the device's work again.

    `chain` are the calls that lead to where it is read, that place last: what a function returns
    is followed to its call.
    """
    *calls, place = chain
    returns = _is_needed_in(program, place)
    while returns is None and calls:
        returns = _is_needed_in(program, calls.pop())
    return bool(returns)


def _is_needed_in(program: Program, place: Place) -> bool | None:
    """Whether it is needed in its function; None where it is returned besides."""
    unit = program.unit(place[:2])
    pending, seen = [place[2]], {place[2]}
    is_returned = False
    while pending:
        index = pending.pop()
        for user in unit.uses(index):
            op = unit.ops[user]
            if _decides(unit, user, index) or (
                op.kind is Kind.CALL and _works(program, unit, user)
            ):
                return True
            is_returned |= op.kind is Kind.RETURN
            if user not in seen:
                seen.add(user)
                pending.append(user)
    return None if is_returned else False


def _decides(unit: Unit, user: int, index: int) -> bool:
    """Whether an operation chooses by a value: a branch, an index, a number of iterations."""
    op = unit.ops[user]
    if op.kind is Kind.TEST:
        return any(region.op == user for region in unit.regions)  # an assertion has no branches
    if op.kind in (Kind.SLICE, Kind.YIELD):
        return True
    if op.kind in (Kind.ITEM, Kind.SET_ITEM):
        return op.args[1] == index
    if op.kind is Kind.CALL:
        return bool(unit.ops[op.args[0]].data == "range")
    return op.kind is Kind.CHOICE and op.args[0] == index


def _works(program: Program, unit: Unit, index: int) -> bool:
    place = (*unit.key, index)
    return bool(traits_of(program, place) & _USES) or launches(program, place)
