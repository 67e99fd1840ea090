"""Whether a call runs a model on one sample: a batch of one, or one text."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import (
    MISSING,
    Call,
    Dependence,
    Function,
    Guard,
    Kind,
    Loop,
    Value,
    Written,
)

_RUNS = (Trait.INFERS, Trait.GENERATES, Trait.RUNS_MODULE)
_STEPS_BACK = 8
_HANDED_ON = frozenset((Kind.PHI, Kind.CHOICE, Kind.PART, Kind.ATTRIBUTE, Kind.STAR, Kind.ITEM))


def ways(loop: Loop) -> Iterator[tuple[Call, tuple[Call, ...]]]:
    """The calls that run a model in each iteration, and how they come to it."""
    for call in loop.calls():
        way = call.way_to(*_RUNS) if call.loops[0] == loop else ()
        if way and call.guard(loop) is Guard.UNKNOWN and not _takes_what_it_left(way[-1]):
            yield call, way


def is_about_each(call: Call, loop: Loop) -> bool:
    """Whether it is given what this iteration goes over, and nothing that the last one left."""
    found = [argument.dependence(loop) for argument in call.arguments]
    return max(found, default=Dependence.INVARIANT) is Dependence.VARYING


def is_of_one(way: tuple[Call, ...], loop: Loop) -> bool:
    """Whether the model is given one sample: it is made a batch of one, or one answer is read."""
    run = way[-1]
    reads = run.result.users
    if run.has(Trait.INFERS, Trait.GENERATES) and reads and all(_is_first(read) for read in reads):
        return True
    given = [argument for argument in run.arguments if argument.constant is not False]
    if any(_is_batch_of_one(argument) for call in way for argument in call.arguments):
        return True
    return loop.is_comprehension and run.has(Trait.INFERS) and given[:1] == [loop.element]


def window(way: tuple[Call, ...], loop: Loop) -> Value | None:
    """What each iteration cuts a part of, along axes behind the first, for the model to run on."""
    given = way[0].arguments
    parts = (part for one in given for part in _parts(one, loop))
    if any(loop.writes_to(part) is Written.WRITTEN for part in parts):
        return None
    cuts = [one.operands for one in given if one.kind is Kind.ITEM]
    found = (whole for whole, index in cuts if _is_cut(index, loop))
    return next((one for one in found if one.dependence(loop) is Dependence.INVARIANT), None)


def _is_cut(index: Value, loop: Loop) -> bool:
    """Whether an index takes all of the first axis, and both ends of another move."""
    if index.kind is not Kind.TUPLE or len(index.operands) < 2:
        return False
    first, *others = index.operands
    is_whole = first.kind is Kind.SLICE and all(bound.is_missing for bound in first.operands)
    slices = [one.operands for one in others if one.kind is Kind.SLICE]
    moves = any(all(bound.dependence(loop) for bound in ends[:2]) for ends in slices)
    return moves and (is_whole or first.constant is Ellipsis)


def is_of_same(way: tuple[Call, ...], loop: Loop) -> bool:
    """Whether a model is run on the same in each iteration, for other draws of its own."""
    (run, *others), given = way, way[0].arguments
    if others or loop.is_while or loop.is_comprehension or not run.result.users:
        return False
    parts = [part for one in (run.callee, *given) for part in _parts(one, loop)]
    changing = (Kind.CALL, Kind.ELEMENT, Kind.CYCLE, Kind.PHI, Kind.AWAIT)
    if any(part.kind in changing and loop.contains(part) for part in parts):
        return False
    if any(loop.writes_to(part) is Written.WRITTEN for part in parts):
        return False
    return any(one.is_array is not False for one in given if one.constant is MISSING)


def _parts(value: Value, loop: Loop) -> Iterator[Value]:
    """What it is made of: what the loop's iterations make, and what these take from outside."""
    pending, seen = [value], set[Value]()
    while pending:
        one = pending.pop()
        if one not in seen and not one.is_missing:
            seen.add(one)
            yield one
            pending += one.operands if loop.contains(one) else ()


def _takes_what_it_left(run: Call) -> bool:
    """Whether a model is given an attribute that its own result is kept under: a state."""
    kept = {user.data for user in run.result.readers if user.kind is Kind.SET_ATTRIBUTE}
    return any(one.kind is Kind.ATTRIBUTE and one.data in kept for one in run.arguments)


def _is_first(read: Value) -> bool:
    """Whether it is `[0]`, or `[0, …]`."""
    if read.kind is not Kind.ITEM:
        return False
    index = read.operands[1]
    first = index.operands[0] if index.kind is Kind.TUPLE and index.operands else index
    return first.constant is not False and first.constant == 0


def _is_batch_of_one(given: Value) -> bool:
    """Whether an argument is one sample with an axis before it, or a list of one."""
    pending, seen = [given], set[Value]()
    while pending and len(seen) < _STEPS_BACK:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        call = one.call
        if one.kind is Kind.LIST:
            if len(one.operands) == 1 and one.operands[0].kind is not Kind.STAR:
                return True
            continue
        if call is not None:
            if call.has(Trait.ADDS_AXIS):
                return any(part.constant == 0 for part in call.arguments)
            if call.has(Trait.TOKENIZES):
                return _is_unpadded(call)
            for function in call.runs:
                first = call.arguments[:1] if _hands_on(function) else ()
                pending += [*first, *function.returned]
            if call.has(Trait.CONVERTS) and call.arguments:
                pending.append(call.arguments[0])
            elif call.receiver is not None and call.has(Trait.MOVES, Trait.CASTS, Trait.VIEWS):
                pending.append(call.receiver)
        elif one.kind is Kind.ITEM and _gives_one(one.operands[1]):
            return True
        elif one.kind in _HANDED_ON:
            pending += one.operands[:1]
    return False


def _hands_on(function: Function, deepest: int = 3) -> bool:
    """Whether what a function gives is made of its first argument alone, all of it at once."""
    first = function.parameters[1 if function.is_method else 0 :][:1]
    pending, seen = list(function.returned), set[Value]()
    while pending and len(seen) < _STEPS_BACK:
        one = pending.pop()
        if one in first:
            return True
        if one in seen:
            continue
        seen.add(one)
        call = one.call
        if call is not None and all(_hands_on(run, deepest - 1) for run in call.runs if deepest):
            pending += call.arguments[:1] if call.receiver is None else (call.receiver,)
        elif call is None and one.kind in _HANDED_ON:
            pending += one.operands
    return False


def _gives_one(index: Value) -> bool:
    """Whether an index adds an axis, `x[None]`, or is a slice of length one, `x[i : i + 1]`."""
    first = index.operands[0] if index.kind is Kind.TUPLE and index.operands else index
    if first.kind is not Kind.SLICE:
        return first.constant is None
    start, stop = first.operands[:2]
    if stop.kind is not Kind.BINARY or stop.data != "Add":
        return False
    return stop.operands[0] == start and stop.operands[1].constant == 1


def _is_unpadded(call: Call) -> bool:
    """Whether a tokenizer makes a tensor without padding, as it can of one text alone."""
    padding = call.argument("padding")
    if call.argument("return_tensors") is None or call.passes_unseen or not call.arguments:
        return False
    is_list = call.arguments[0].python_type in ("list", "tuple")
    return not is_list and (padding is None or padding.constant is False)


def may_have_weights(run: Call) -> bool:
    """Whether what is run is a model. A module that makes nothing when it is made is a loss."""
    made = run.callee.methods("__init__")
    calls = [call for function in made for call in function.calls()]
    return not made or any(call.arguments or call.keywords or call.runs for call in calls)
