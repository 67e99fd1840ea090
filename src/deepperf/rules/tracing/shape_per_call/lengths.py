"""How long a list is: whether the data, and nothing else, decides that."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import Call, Kind, Loop, Repeated, Value

_LISTS = ("list", "List", "Sequence", "Iterable")


def filled(made: Value, around: Repeated) -> Call | None:
    """The call that puts elements into a list, in a loop which the data end, not a count."""
    is_empty = made.kind is Kind.LIST or (
        made.kind is Kind.PART and made.operands[0].kind in (Kind.TUPLE, Kind.LIST)
    )
    if not is_empty or not around.contains(made):
        return None
    for user in made.users:
        calls = [one.call for one in user.users] if user.kind is Kind.ATTRIBUTE else []
        for call in calls:
            if call is None or not call.has(Trait.KEEPS_ARGUMENT) or call.receiver != made:
                continue
            inner = [loop for loop in call.loops if around.contains(loop)]
            if any(_is_ended_by_data(loop) for loop in inner if not loop.contains(made)):
                return call
    return None


def joined(value: Value) -> Call | None:
    """The call that joins an array with more of it, for an object that keeps it and never begins
    anew.
    """
    if value.kind is not Kind.ATTRIBUTE:
        return None
    found: list[Call] = []
    for stored in value.operands[0].stores(value.data):
        made = stored.operands[1].call
        if made is not None and made.has(Trait.LENGTHENS):
            given = [one for first in made.arguments[:1] for one in first.operands]
            if any(one.kind is Kind.ATTRIBUTE and one.data == value.data for one in given):
                found.append(made)
                continue
        if stored.function.name != "__init__":
            return None
    return found[0] if len(found) == 1 and not found[0].conditions else None


def _is_ended_by_data(loop: Loop) -> bool:
    """Whether it ends when a flag is set, and no count or length is asked for."""
    tests = [*loop.exits]
    if loop.is_while:
        test = Value(loop.program, loop.place).operands[0]
        if test.kind is not Kind.CONSTANT:
            tests.append(test)
    return bool(tests) and not any(
        part.kind is Kind.COMPARE or (part.call is not None and part.call.is_of("builtins.len"))
        for test in tests
        for part in test.parts
    )


def longest(value: Value, around: Repeated) -> Call | None:
    """The `max(…)` of lengths that a number is, of lists that are others each time."""
    call = value.call
    if call is None or not call.is_of("builtins.max") or not around.is_new(value):
        return None
    pending, seen = [*call.arguments], set[Value]()
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        is_length = one.call is not None and one.call.is_of("builtins.len")
        if is_length or "builtins.len" in one.names:
            return call
        pending += one.operands
    return None


def padded(element: Value, around: Repeated) -> Call | None:
    """The `max(…)` up to which `row + [0] * (longest - len(row))` fills a row."""
    if element.kind is not Kind.BINARY or element.data.rstrip("=") != "Add":
        return None
    for part in element.operands:
        if part.kind is Kind.BINARY and any(one.kind is Kind.LIST for one in part.operands):
            for number in part.operands:
                if number.kind is Kind.BINARY and number.data == "Sub":
                    return longest(number.operands[0], around)
    return None


def holds_rows(parameter: Value) -> bool:
    """Whether a parameter is said to be a list of lists: of as many as each request sends."""
    said = parameter.operands[0] if parameter.kind is Kind.PARAMETER else None
    if said is None or said.kind is not Kind.ITEM:
        return False
    inner = said.operands[1]
    both = (said.operands[0], inner.operands[0]) if inner.kind is Kind.ITEM else ()
    return bool(both) and all(one.data in _LISTS for one in both)
