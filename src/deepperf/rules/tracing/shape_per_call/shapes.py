"""Where the length of an array comes from, and whether it is another one in each iteration."""

from __future__ import annotations

from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import MISSING, Call, Dependence, Kind, Loop, Value

_THROUGH = (Trait.CASTS, Trait.CONVERTS, Trait.MAKES_TENSOR, Trait.CREATES_ARRAY, Trait.KEEPS_SHAPE)
_LONGEST = "each batch is as long as its longest element"
_STEPS = 6


class Shape(NamedTuple):
    """An argument whose shape changes, what gives it its length, and why that changes."""

    at: Value
    source: Value | Call
    reason: str


def shape_of(argument: Value, loop: Loop) -> Shape | None:
    """Why an argument has another shape in each iteration of a loop; None where it may not."""
    if loop.lengthens(argument) and not _is_local_list(argument):
        return Shape(argument, argument, f"it is a {argument.python_type} that gets longer")
    value = argument
    longer = _grows(argument, loop)
    if longer is not None:
        return Shape(argument, longer, "each iteration makes it longer")
    for _ in range(_STEPS):
        if value.kind is Kind.ITEM and value.operands[1].is_mask is not False:
            is_new = value.dependence(loop) is not Dependence.INVARIANT or _draws(value, loop)
            reason = "how much a mask picks differs"
            return Shape(argument, value, reason) if is_new else None
        if value.kind is Kind.COLLECT:
            return _of_list(argument, value, loop)
        if value.kind is Kind.BINARY:
            return _of_repeated(argument, value, loop)
        if value.kind in (Kind.ELEMENT, Kind.PART):
            return _of_element(argument, loop) if _is_element(value, loop) else None
        call = value.call
        if call is None or not loop.contains(call):
            return None
        if call.has(Trait.PADS) and call.arguments:
            is_new = call.arguments[0].dependence(loop) is not Dependence.INVARIANT
            return Shape(argument, call, _LONGEST) if is_new else None
        if call.has(Trait.FINDS_PLACES):
            return Shape(argument, call, "how many elements it finds differs")
        if not call.has(*_THROUGH):
            return None
        first = call.receiver if call.has(Trait.CASTS, Trait.KEEPS_SHAPE) else None
        given = call.arguments[0] if call.arguments else first
        if given is None:
            return None
        value = given
    return None


def _grows(argument: Value, loop: Loop) -> Call | None:
    """The call that joins an array with more of it, for the next iteration, in PyTorch."""
    parts = argument.operands[1:] if argument in loop.carried else ()
    for call in (part.call for part in parts):
        if call is None or not call.has(Trait.GROWS) or call.framework != "torch":
            continue
        given = [one for value in call.arguments for one in (value, *value.operands)]
        if argument in given and not call.is_conditional(loop):
            return call
    return None


def _is_local_list(value: Value) -> bool:
    """Whether the rule for what is passed anew, which says the same of lists, sees it."""
    return value.kind is not Kind.ATTRIBUTE and value.python_type == "list"


def _of_repeated(argument: Value, made: Value, loop: Loop) -> Shape | None:
    """Of `[0] * n`: as long as the number says."""
    lists = [one for one in made.operands if one.kind is Kind.LIST]
    counts = [one for one in made.operands if one.kind is not Kind.LIST]
    is_repeated = made.data == "Mult" and len(lists) == 1 and len(counts) == 1
    if not is_repeated or counts[0].dependence(loop) is not Dependence.VARYING:
        return None
    return Shape(argument, made, f"it has `{counts[0].text}` elements")


def _of_list(argument: Value, made: Value, loop: Loop) -> Shape | None:
    """Of a comprehension: over the words of a text that each iteration has another one of."""
    loops = made.function.loops()
    inside = made.operands[0]
    walks = [one for one in loops if one.contains(inside) and not one.contains(made)]
    if len(walks) != 1:
        return None
    over = walks[0].iterable
    is_new = over.dependence(loop) is Dependence.VARYING
    if not is_new or over.call is None or not over.call.may_have(Trait.SPLITS):
        return None
    return Shape(argument, over, f"it is as long as `{over.text}`")


def _is_element(value: Value, loop: Loop) -> bool:
    element = loop.element
    return element is not None and (value == element or value.operands[0] == element)


def _of_element(argument: Value, loop: Loop) -> Shape | None:
    """Of what a loop goes over: batches that are padded to their longest element."""
    pending, seen = [loop.iterable], set[Value]()
    while pending and len(seen) < 20:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        for made in value.makers:
            if made.has(Trait.PADS):
                return Shape(argument, made, _LONGEST) if _pads_to_longest(made) else None
            if made.receiver is not None:
                pending.append(made.receiver)
    return None


def _pads_to_longest(made: Call) -> bool:
    given = made.argument("padded_shapes", 1)
    if given is None:
        return True
    pending = [given]
    while pending:
        value = pending.pop()
        if value.constant is None or value.constant == -1:
            return True
        if value.kind in (Kind.TUPLE, Kind.LIST, Kind.DICT):
            pending += value.operands
        elif value.constant is MISSING:
            return False
    return False


def _draws(value: Value, loop: Loop) -> bool:
    """Whether a mask is drawn anew in each iteration."""
    pending, seen = [value.operands[1]], set[Value]()
    while pending:
        one = pending.pop()
        if one in seen or not loop.contains(one):
            continue
        seen.add(one)
        if one.call is not None and one.call.has(Trait.RANDOM):
            return True
        pending += one.operands
    return False
