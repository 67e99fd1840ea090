"""How an argument decides what compiled code there is."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import Dependence, Kind, Loop, Value

_COUNTING = frozenset((Kind.BINARY, Kind.UNARY, Kind.PHI))


def tells_work(parameter: Value) -> str:
    """How an integer decides what is done, beyond the numbers in it; "" where it doesn't."""
    pending, seen = [parameter], {parameter}
    while pending:
        value = pending.pop()
        for user in value.users:
            if user in seen:
                continue
            seen.add(user)
            if user.kind in _COUNTING:
                pending.append(user)
            elif user.kind is Kind.CALL and user.call is not None:
                if user.call.is_of("builtins.range"):
                    return "counts the iterations of a loop"
                if user.call.is_of("builtins.int"):
                    pending.append(user)
            elif _is_picked(user, value):
                return "picks a part of the model"
    return ""


def _is_picked(user: Value, index: Value) -> bool:
    """Whether an index picks something of its own of a list of layers or functions."""
    is_index = user.kind is Kind.ITEM and user.operands[1] == index
    return is_index and user.operands[0].is_array is False


def is_built_of(given: Value, loop: Loop) -> bool:
    """Whether a list or dict that was there before a loop gets longer in each iteration."""
    for call in loop.calls(Trait.KEEPS_ARGUMENT):
        grown = call.receiver
        if grown is not None and _is_same(grown, given, loop) and not call.is_conditional(loop):
            return True
    for put in loop.values(Kind.SET_ITEM):
        changes = put.operands[1].dependence(loop) is not Dependence.INVARIANT
        if _is_same(put.operands[0], given, loop) and changes:
            return True
    return False


def _is_same(one: Value, other: Value, loop: Loop) -> bool:
    """Whether two uses are of one object, made before a loop."""
    is_one = one == other or (one.kind is Kind.ATTRIBUTE and one.text == other.text)
    return is_one and (one.kind is Kind.ATTRIBUTE or not loop.contains(one))
