"""What a function makes on the host, though the device needs it."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import Call, Function, Kind, Residence, Value

_HOT = frozenset(("step", "batch", "token", "parameter", "layer"))
_COMPUTES = frozenset(
    (Kind.CALL, Kind.ATTRIBUTE, Kind.BINARY, Kind.UNARY, Kind.ITEM, Kind.LIST, Kind.TUPLE, Kind.PHI)
)


def made_on_host(function: Function) -> list[Value]:
    """Where a copy of it is made: the call that moves it, or that makes the index."""
    moved = [c for c in function.calls(Trait.MOVES) if is_hot(c) and _is_move(c)]
    return [*(call.result for call in moved), *_indices(function)]


def factories_of(moved: Value) -> list[Call]:
    """What makes the tensor that is moved, where that stands on another line than the move."""
    made = moved.call.receiver if moved.call is not None else None
    line = moved.location.line
    found = _factories(made) if made is not None else []
    return [call for call in found if call.location.line != line]


def is_hot(call: Call) -> bool:
    """Whether it runs in steps, or, where nobody is seen to call it, follows a tensor's device."""
    if call.runs_for:
        return bool(_HOT & call.runs_for)
    return any(
        one.kind is Kind.ATTRIBUTE and one.data == "device" and one.operands[0].is_array
        for one in call.arguments
    )


def _is_move(call: Call) -> bool:
    if call.receiver is None or call.result.residence is not Residence.ACCELERATOR:
        return False
    return bool(_factories(call.receiver)) and not _is_kept(call.result)


def _indices(function: Function) -> Iterator[Value]:
    """What makes an index on the host that picks parts of a tensor on the device."""
    if _HOT.isdisjoint(function.runs_for) and not any(function.loops()):
        return
    for value in function.values(Kind.ITEM, Kind.SET_ITEM):
        tensor, index = value.operands[:2]
        if not _HOT & value.runs_for or tensor.is_array is False:
            continue
        parts = index.operands if index.kind is Kind.TUPLE else (index,)
        if tensor.residence is Residence.UNKNOWN and "step" not in value.runs_for:
            continue
        if tensor.residence in (Residence.NOTHING, Residence.HOST):
            continue
        for part in parts:
            yield from (call.result for call in _factories(part))


def _is_kept(value: Value) -> bool:
    """Whether an object keeps what is made of it, so that it is not made each time."""
    pending, seen = [value], {value}
    while pending:
        for user in pending.pop().users:
            if user.kind is Kind.SET_ATTRIBUTE:
                return True
            if user not in seen and user.kind in _COMPUTES:
                seen.add(user)
                pending.append(user)
    return False


def _factories(value: Value) -> list[Call]:
    """The factories of whose results alone something on the host is computed; none otherwise."""
    if not value.is_array or value.residence is not Residence.HOST:
        return []
    call = value.call
    if call is None:
        parts = value.operands if value.kind in (Kind.BINARY, Kind.UNARY) else ()
    elif call.has(Trait.CREATES_ARRAY):
        return [call] if not call.has(Trait.CONVERTS) or _is_spread(call) else []
    elif call.has(Trait.COMPUTES, Trait.VIEWS, Trait.CASTS, Trait.ARRANGES):
        parts = (*((call.receiver,) if call.receiver is not None else ()), *call.arguments)
    else:
        return []
    arrays = [part for part in parts if part.is_array]
    found = [_factories(part) for part in arrays]
    return [one for made in found for one in made] if all(found) else []


def _is_spread(call: Call) -> bool:
    """Whether it converts a list of one number many times, `[i] * n`."""
    data = call.arguments[0] if call.arguments else None
    if data is None or data.kind is not Kind.BINARY or data.data != "Mult":
        return False
    lists = [part for part in data.operands if part.kind is Kind.LIST]
    return len(lists) == 1 and len(lists[0].operands) == 1 and not lists[0].operands[0].is_array
