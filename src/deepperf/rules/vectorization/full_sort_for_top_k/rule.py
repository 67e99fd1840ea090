"""All of an array is sorted, and only its first or last few elements are taken."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Kind, Value

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch", "numpy"),
)
_REMEDIES = {
    "torch": "`torch.topk(x, k)` gives the k greatest (`largest=False`: the smallest), and"
    " `torch.kthvalue(x, k)` the k-th",
    "numpy": "`np.argpartition(x, k)[:k]` gives the places of the k smallest, and `np.partition`"
    " the numbers; sort those few",
}


@each_call(Trait.SORTS)
def check(call: Call) -> Iterator[Finding]:
    remedy = _REMEDIES.get(call.framework)
    if remedy is None or not call.runs_often:
        return
    takes = list(_takes(call.result))
    if takes and None not in takes:
        yield rule.finding(
            call,
            f"`{call.name}` puts all of its numbers in order, and only `{_shown(takes)}` is taken",
            remedy,
            framework=call.framework,
            estimate=0.005,
        )


def _shown(takes: list[Value | None]) -> str:
    return next(one.text for one in takes if one is not None)


def _takes(ordered: Value) -> Iterator[Value | None]:
    """The few elements that each reader takes; None for one that may need all of them."""
    for reader in ordered.readers:
        call = reader.call
        if call is not None and call.is_of("builtins.len"):
            continue
        if reader.kind is Kind.ATTRIBUTE and reader.data in ("shape", "device", "dtype"):
            continue
        if reader.kind is Kind.PART or (reader.kind is Kind.ATTRIBUTE and not _calls(reader)):
            yield from _takes(reader)
        elif reader.kind is not Kind.ITEM or reader.operands[0] != ordered:
            yield None
        elif _turns(reader.operands[1]):
            yield from _takes(reader)
        else:
            yield reader if _is_few(reader.operands[1]) else None


def _calls(attribute: Value) -> bool:
    """Whether it is a method, and no part of a named tuple."""
    return any(user.call is not None for user in attribute.users)


def _turns(index: Value) -> bool:
    """Whether it is `[::-1]`."""
    if index.kind is not Kind.SLICE:
        return False
    start, stop, step = index.operands
    return start.is_missing and stop.is_missing and not step.is_missing


def _is_few(index: Value) -> bool:
    """Whether an index takes one element, or those at one end, of the last axis."""
    if index.kind is Kind.TUPLE and index.operands:
        *others, index = index.operands
        if not all(_is_whole(one) for one in others):
            return False
    if index.kind is Kind.SLICE:
        start, stop, step = index.operands
        if not step.is_missing or start.is_missing == stop.is_missing:
            return False
        return not _is_negative(stop) if start.is_missing else _is_negative(start)
    is_number = index.kind in (Kind.CONSTANT, Kind.UNARY, Kind.BINARY) and not index.may_be_array
    return is_number and index.constant is not None and index.python_type != "str"


def _is_whole(index: Value) -> bool:
    if index.kind is Kind.SLICE:
        return all(bound.is_missing for bound in index.operands)
    return index.constant is Ellipsis


def _is_negative(number: Value) -> bool:
    constant = number.constant
    return number.kind is Kind.UNARY or (type(constant) is int and constant < 0)
