"""ONE test: does a value differ from iteration to iteration of a loop, and how."""

from __future__ import annotations

import enum

from deepperf.semantics.ir.table import UNBOUND, Kind, Unit


class Dependence(enum.IntEnum):
    """How a value changes over the iterations of a loop; the greater of two wins."""

    INVARIANT = 0  # made of what does not change in the loop, as far as its function tells
    VARYING = 1  # made of the element or the counter of the iteration
    CARRIED = 2  # made of what an earlier iteration left
    UNKNOWN = 3  # made by something whose result may differ each time


def dependence(unit: Unit, index: int, region: int) -> Dependence:
    """How the result of an operation in a loop depends on the iteration.

    Calls, and what they are given, count by their operands alone: whoever needs to know whether
    a call gives the same for the same operands asks for its effects.
    """
    found = Dependence.INVARIANT
    pending, seen = [index], set[int]()
    while pending:
        number = pending.pop()
        if number in seen or number == UNBOUND:
            continue
        seen.add(number)
        op = unit.ops[number]
        if not unit.within(op.region, region):
            continue
        if op.kind is Kind.CYCLE and unit.within(op.data, region):
            if op.data == region:
                if all(part == number or part == op.args[0] for part in op.args[1:]):
                    pending.append(op.args[0])
                    continue
                counts = _is_counter(unit, number)
                found = max(found, Dependence.VARYING if counts else Dependence.CARRIED)
                continue
        elif op.kind is Kind.ELEMENT and op.data == region:
            found = max(found, Dependence.VARYING)
            continue
        elif op.kind in (Kind.YIELD, Kind.AWAIT, Kind.CAUGHT):
            found = max(found, Dependence.UNKNOWN)
        pending.extend(op.args)
    return found


def _is_counter(unit: Unit, head: int) -> bool:
    """Whether a variable that a loop carries is a number that goes up or down evenly."""
    op = unit.ops[head]
    first, steps = unit.ops[op.args[0]], [part for part in op.args[1:] if part != head]
    is_number = first.kind is Kind.CONSTANT and type(first.data) is int
    return is_number and bool(steps) and all(_is_step(unit, step, head, op.data) for step in steps)


def _is_step(unit: Unit, index: int, head: int, region: int) -> bool:
    op = unit.ops[index]
    if op.kind is not Kind.BINARY or op.data.rstrip("=") not in ("Add", "Sub"):
        return False
    others = [part for part in op.args if part != head]
    return len(others) == 1 and _is_the_same(unit, others[0], region)


def _is_the_same(unit: Unit, index: int, region: int) -> bool:
    """Whether a number rests on nothing that an iteration of a loop is given, or leaves."""
    pending, seen = [index], set[int]()
    while pending:
        number = pending.pop()
        op = unit.ops[number]
        if number in seen or number == UNBOUND or not unit.within(op.region, region):
            continue
        if op.kind in _CHANGING:
            return False
        seen.add(number)
        pending.extend(op.args)
    return True


_CHANGING = frozenset((Kind.CYCLE, Kind.ELEMENT, Kind.YIELD, Kind.AWAIT, Kind.CAUGHT))


def carried_into(unit: Unit, index: int, region: int) -> tuple[int, ...]:
    """The heads of the variables, carried around a loop, that an operation's operands rest on."""
    found: list[int] = []
    pending, seen = list(unit.ops[index].args), set[int]()
    while pending:
        number = pending.pop()
        if number in seen or number == UNBOUND:
            continue
        seen.add(number)
        op = unit.ops[number]
        if op.kind is Kind.CYCLE and op.data == region and len(op.args) > 1:
            if any(part != number for part in op.args[1:]):
                found.append(number)
            continue
        if unit.within(op.region, region):
            pending.extend(op.args)
    return tuple(sorted(found))
