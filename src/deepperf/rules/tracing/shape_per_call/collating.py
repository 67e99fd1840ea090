"""Which parts of a loader's batches the function that puts them together pads to the longest."""

from __future__ import annotations

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.query import Call, Function, Kind, Value

_TO_LONGEST = (True, "longest")
_MOST = 50


def padded_part(loader: Call, path: tuple[int, ...]) -> Call | None:
    """The call that pads a part of each batch as far as its longest sample is; None for none.

    `path` says which part: `(1, 0)` is the first one of the second.
    """
    collate = loader.in_role(ParameterRole.FUNCTION)
    for function in collate.functions if collate is not None else ():
        padding = [call for call in function.calls() if _pads(call)]
        if len(function.returned) != 1 or not padding:
            continue
        made = _part(function.returned[0], path)
        return next((call for call in padding if _is_made_of(made, call, function)), None)
    return None


def _pads(call: Call) -> bool:
    if not call.has(Trait.TOKENIZES):
        return call.has(Trait.PADS)
    padding, rounded = call.argument("padding"), call.argument("pad_to_multiple_of")
    return padding is not None and padding.literal in _TO_LONGEST and rounded is None


def _part(value: Value, path: tuple[int, ...]) -> Value:
    for index in path:
        if value.kind is Kind.TUPLE and 0 <= index < len(value.operands):
            value = value.operands[index]
    return value


def _is_made_of(value: Value, call: Call, function: Function) -> bool:
    pending, seen = [value], set[Value]()
    while pending and len(seen) < _MOST:
        one = pending.pop()
        if one.place == call.place:
            return True
        if one not in seen and one.place[:2] == function.place[:2]:
            seen.add(one)
            pending += one.operands
    return False
