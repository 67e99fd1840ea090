"""Whether callers read what a function returns besides, or only where an option asks for it."""

from __future__ import annotations

from deepperf.semantics.callgraph.calls import callers, has_unseen_callers
from deepperf.semantics.callgraph.unread import counts_from_left, is_read_elsewhere
from deepperf.semantics.ir.table import Block, Kind, Unit
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program

_BRANCHES = (Block.THEN, Block.ELSE)
_THROUGH = (Kind.PHI, Kind.CYCLE)


def is_read_by_callers(program: Program, place: Place) -> bool | None:
    """Whether a value that is returned in a tuple is read where no condition stands.

    False where each caller ignores it or takes it behind a condition, or where `None` may be
    returned in its stead; None where no caller is seen.
    """
    unit = program.unit(place[:2])
    answers = [_is_read(program, unit, position) for position in _returned(unit, place[2])]
    return True if True in answers else None if None in answers else False


def _returned(unit: Unit, index: int) -> list[int]:
    """The positions in tuples at which it is returned, and `None` never is."""
    found: list[int] = []
    pending, seen = [index], {index}
    while pending:
        value = pending.pop()
        if any(_is_none(unit, one) for one in _met(unit, value)):
            continue
        for user in unit.uses(value):
            op = unit.ops[user]
            if op.kind is Kind.TUPLE and _is_returned(unit, user):
                found.append(op.args.index(value))
            elif op.kind in _THROUGH and user not in seen:
                seen.add(user)
                pending.append(user)
    return found


def _met(unit: Unit, index: int) -> tuple[int, ...]:
    """The values that meet in one."""
    return unit.ops[index].args if unit.ops[index].kind in _THROUGH else ()


def _is_returned(unit: Unit, index: int) -> bool:
    return any(unit.ops[user].kind is Kind.RETURN for user in unit.uses(index))


def _is_none(unit: Unit, index: int) -> bool:
    op = unit.ops[index]
    return op.kind is Kind.CONSTANT and op.data is None


def _is_read(program: Program, unit: Unit, position: int) -> bool | None:
    edges = callers(program, unit.key)
    if not edges:
        return None
    if any(_takes(program, edge.call, position) for edge in edges):
        return True
    return None if has_unseen_callers(program, unit.key) else False


def _takes(program: Program, call: Place, position: int) -> bool:
    """Whether a caller reads the result at a position, or all of them as a whole."""
    unit = program.unit(call[:2])
    around = unit.ops[call[2]].region
    for user in unit.uses(call[2]):
        op = unit.ops[user]
        if op.kind is not Kind.PART:
            return op.kind is not Kind.ITEM or unit.ops[op.args[1]].data == position
        if counts_from_left(op) and op.data != position:
            continue
        if any(not _is_conditional(unit, unit.ops[one].region, around) for one in unit.uses(user)):
            return True
        if is_read_elsewhere(program, unit, user):
            return True
    return False


def _is_conditional(unit: Unit, region: int, around: int) -> bool:
    """Whether a branch stands around a region that does not stand around the other, too."""
    outer = set(unit.around(around))
    inner = [one for one in unit.around(region) if one not in outer]
    return any(unit.regions[one].block in _BRANCHES for one in inner)
