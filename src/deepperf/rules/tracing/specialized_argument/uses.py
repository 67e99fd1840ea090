"""How an argument decides what compiled code there is."""

from __future__ import annotations

from deepperf.semantics.query import Kind, Value

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
