"""Which tensors are parts of others, whose memory they share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import Call, Kind, Residence, Value

_MOST = 64
"""Values that are looked at for one that is saved."""
_TENSOR = "torch.Tensor"


class Part(NamedTuple):
    """A part of a tensor: where it is taken, and from what."""

    at: Value
    whole: Value


def part_of(value: Value) -> Part | None:
    """The larger tensor that a tensor is a part of, without a copy between; None where none is
    known.
    """
    pending, seen = [value], {value}
    while pending and len(seen) < _MOST:
        one = pending.pop()
        whole = _taken_from(one)
        if whole is not None and _is_tensor(whole):
            return Part(one, _split(whole.call) or whole)
        for source in _sources(one):
            if source not in seen:
                seen.add(source)
                pending.append(source)
    return None


def _taken_from(value: Value) -> Value | None:
    """What a value is a part of, if it is a tensor."""
    if value.kind is Kind.ITEM and _picks(value.operands[1]):
        return value.operands[0]
    if value.kind is Kind.ELEMENT:
        return value.operands[0]
    if value.kind is Kind.PART:
        made = value.operands[0]
        if made.kind is Kind.ELEMENT:
            return _beside_others(made.operands[0].call, value.data)
        return _split(made.call)
    return _split(value.call)


def _split(call: Call | None) -> Value | None:
    if call is None or not call.has(Trait.GIVES_PARTS):
        return None
    given = (call.receiver, *call.arguments[:1])  # a method, or a function of a module
    return next((one for one in given if one is not None and _TENSOR in one.types), None)


def _beside_others(call: Call | None, index: object) -> Value | None:
    """What `zip` or `enumerate` takes the part of each pair from."""
    if call is None or not isinstance(index, int):
        return None
    given = call.arguments
    if call.callee.names == {"builtins.enumerate"}:
        return given[0] if index == 1 and given else None
    is_zip = call.callee.names == {"builtins.zip"}
    return given[index] if is_zip and 0 <= index < len(given) else None


def _picks(index: Value) -> bool:
    """Whether an index takes a part without a copy, and surely not all: a slice with a bound, or
    the number of a loop. A literal number mostly drops an axis of length one.
    """
    if index.kind is Kind.TUPLE:
        return any(_picks(part) for part in index.operands) and all(
            _is_basic(part) for part in index.operands
        )
    if index.kind is Kind.SLICE:
        first, last, _ = index.operands
        given = [bound for bound in (first, last) if not bound.is_missing]
        return any(bound.constant is not None for bound in given if bound.integer != 0)
    return index.python_type == "int" and index.kind in (Kind.ELEMENT, Kind.PART)


def _is_basic(index: Value) -> bool:
    if index.kind is Kind.SLICE or index.constant in (None, ...):
        return True
    return index.python_type == "int"


def _sources(value: Value) -> Iterator[Value]:
    """What a value is, or shares its memory with."""
    if value.kind in (Kind.PHI, Kind.CYCLE):
        yield from value.operands
    elif value.kind is Kind.CHOICE:
        yield from value.operands[1:]
    elif value.kind is Kind.ATTRIBUTE and value.data == "data":
        yield value.operands[0]
    elif value.kind is Kind.ELEMENT:
        yield from value.operands[0].contents
    elif value.kind is Kind.PART and value.operands[0].kind is Kind.ELEMENT:
        beside = _beside_others(value.operands[0].operands[0].call, value.data)
        yield from beside.contents if beside is not None else ()
    elif value.call is not None:
        yield from _shared(value.call)


def _shared(call: Call) -> Iterator[Value]:
    receiver = call.receiver
    for function in call.runs:
        yield from (result.operands[0] for result in function.values(Kind.RETURN))
    if receiver is None:
        return
    is_moved = call.has(Trait.MOVES) and receiver.residence is Residence.HOST
    if call.has(Trait.SHARES_MEMORY) or (is_moved and not call.arguments):
        yield receiver


def _is_tensor(value: Value) -> bool:
    """Whether it is a tensor for sure: part of what PyTorch loads counts as one."""
    if _TENSOR in value.types:
        return not value.is_unknown
    pending, seen = [value], {value}
    while pending and len(seen) < _MOST:
        one = pending.pop()
        if one.call is not None:
            return one.call.has(Trait.RESTORES_DEVICE)
        if one.kind is Kind.ITEM and one.operands[1].python_type == "str":
            new = [one.operands[0]]
        elif one.kind is Kind.PARAMETER:
            function = one.function
            passed = (call.passed_for(function, one.data) for call in function.callers())
            new = [given for given in passed if given is not None]
        else:
            new = []
        pending += [given for given in new if given not in seen]
        seen.update(new)
    return False
