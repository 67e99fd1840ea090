"""Samples that worker processes cannot prepare, or for which no model waits."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import Call, Function, Kind, Residence, Value


def stays(samples: Value, functions: Iterable[Function]) -> bool:
    """Whether worker processes cannot prepare the samples, or would do it again and again."""
    return any(map(_must_stay, functions)) or _keeps_handle(samples)


def is_only_collected(loader: Call) -> bool:
    """Whether the batches are put into lists first, so that no model waits for one."""
    loops = [one for one in loader.function.loops() if loader in one.iterable.makers]
    return bool(loops) and all(
        all(call.has(Trait.KEEPS_ARGUMENT) for call in loop.calls()) and any(loop.calls())
        for loop in loops
    )


def _counts(function: Function) -> bool:
    """Whether it, or what it calls, counts the samples that it has made."""
    for one in {function, *(run for call in function.calls() for run in call.runs)}:
        for kept in one.values(Kind.SET_ATTRIBUTE):
            owner, value = kept.operands
            if value.kind is Kind.BINARY and any(
                part.kind is Kind.ATTRIBUTE and part.data == kept.data and part.operands[0] == owner
                for part in value.operands
            ):
                return True
    return False


def _must_stay(function: Function) -> bool:
    """Whether it uses the device, counts, or keeps what it made for the next epoch."""
    if _counts(function):
        return True
    for call in function.calls():
        if call.result.residence is Residence.ACCELERATOR:
            return True
        way = call.way_to(Trait.MOVES) or call.way_to(Trait.RUNS_MODULE)
        if way and way[-1].result.residence is Residence.ACCELERATOR:
            return True
    kept = function.values(Kind.SET_ITEM)
    return any(value.operands[0].kind is Kind.ATTRIBUTE for value in kept)


def _keeps_handle(dataset: Value) -> bool:
    """Whether its `__init__` keeps an open file, which processes cannot share."""
    return any(
        any(user.kind is Kind.SET_ATTRIBUTE for user in call.result.users)
        for method in dataset.methods("__init__")
        for call in method.calls(Trait.OPENS_HANDLE)
    )
