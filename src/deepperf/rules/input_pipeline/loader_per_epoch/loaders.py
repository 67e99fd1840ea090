"""The loaders that a loop goes over, whether they have workers, and are made of the same again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.query import Call, Dependence, Kind, Loop, Value, Written

_HELPERS = 3
"""Functions, one in the other, that hand a loader on."""


def loaders(value: Value, depth: int = 0) -> Iterator[Call]:
    """The calls that make what a value may be, over functions that return it."""
    for made in value.makers:
        if made.has(Trait.LOADS_BATCHES):
            yield made
        elif depth < _HELPERS:
            for given in [given for one in made.runs for given in one.returned]:
                yield from loaders(given, depth + 1)


def ways(loader: Call, loop: Loop) -> tuple[Call | Loop, ...]:
    """The calls that pass a loader to the function of a loop over it, or the loop itself."""
    passing = [
        call
        for call in loop.function.callers()
        if any(loader in loaders(given) for given in call.arguments)
    ]
    return tuple(passing) or (loop,)


def drops_workers(loader: Call) -> bool:
    """Whether a loader has workers, which end with each pass over it."""
    is_told = loader.passes_unknown or loader.argument("persistent_workers") is not None
    return has_workers(loader) and not is_told


def has_workers(call: Call) -> bool:
    workers = call.in_role(ParameterRole.PARALLELISM)
    return workers is not None and workers.implied_integer != 0


def copies_arrays(call: Call) -> bool:
    """Whether a call makes constants of arrays: names of files are few beside what they name."""
    given = call.arguments[:1] if call.has(Trait.COPIES_ONE_BY_ONE) else ()
    parts = [part for one in given for part in ((one, *one.operands) if _is_group(one) else (one,))]
    return any(part.is_numpy or part.may_be_array for part in parts)


def _is_group(value: Value) -> bool:
    return value.kind in (Kind.TUPLE, Kind.DICT)


def is_kept(value: Value, kept: Callable[[Value], bool]) -> bool:
    """Whether it is made of literals, parameters, variables, attributes that are kept, and what
    functions of libraries make of these.
    """
    for one in value.parts:
        if one.kind is Kind.ATTRIBUTE and not kept(one):
            return False
        call = one.call
        if call is not None:
            is_known = bool(call.callee.names) and not call.runs and not call.has(Trait.RANDOM)
            if not is_known or not all(is_kept(given, kept) for given in call.arguments):
                return False
    return True


def is_settled(attribute: Value) -> bool:
    """Whether constructors alone set it."""
    return attribute.is_settled


def is_of_object(attribute: Value) -> bool:
    """Whether the object itself has it, whose methods the loop calls without changing it."""
    return attribute.is_settled or attribute.operands[0].kind is Kind.PARAMETER


def is_same(way: tuple[Call, ...], loop: Loop) -> bool:
    """Whether each iteration makes the same loader: of nothing that it makes or sets anew."""
    first, *inner = way
    if any(given.dependence(loop) is not Dependence.INVARIANT for given in first.arguments):
        return False
    if any(loop.writes_to(given) is Written.WRITTEN for given in first.arguments):
        return False
    if any(one.loops or one.is_conditional() for one in inner) or first.is_conditional(loop):
        return False
    if any(one.passes_unknown for one in way):
        return False
    receiver = first.receiver if len(way) == 2 else None
    is_unchanged = receiver is not None and loop.writes_to(receiver) is Written.NOT
    given = [value for one in way for value in one.arguments]
    return all(is_kept(value, is_of_object if is_unchanged else is_settled) for value in given)
