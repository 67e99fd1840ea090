"""Arrays that are copied whole, again and again, to change some of their places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.semantics.query import Call, Dependence, File, Kind, Loop, Value

_FEWEST = 8
"""Copies below which they are few, whatever the size of the array."""


class Copy(NamedTuple):
    """A call that copies `array`, and the loop in which it does so, where one is in sight."""

    call: Call
    array: Value
    loop: Loop | None


def copies(file: File) -> Iterator[Copy]:
    """The updates of a file that Python runs, each of which copies an array that is kept."""
    for call in file.calls():
        array = call.updated_array
        if array is None or not call.function.is_run_by_python:
            continue
        loop = call.long_loop
        if loop is not None:
            is_long = loop.known_count is None or loop.known_count >= _FEWEST
            if is_long and _is_kept(call, array, loop) and not call.guard(loop).is_rare:
                yield Copy(call, array, loop)
        elif _is_stored(call, array) and call.runs_often is not False:
            callers = (one.long_loop for one in call.function.callers())
            yield Copy(call, array, next((one for one in callers if one is not None), None))


def _is_kept(call: Call, array: Value, loop: Loop) -> bool:
    """Whether the next iteration copies what this one made."""
    if _is_stored(call, array):
        return True
    if array.dependence(loop) is not Dependence.CARRIED:
        return False
    return call.result.variable == array.source or any(
        _comes_of(array, head) and _comes_of(head.operands[1], call.result) for head in loop.carried
    )


def _comes_of(value: Value, other: Value) -> bool:
    """Whether it is another value, perhaps with some of its places changed."""
    pending, seen = [value], {value}
    while pending:
        if (one := pending.pop()) == other:
            return True
        made = one.call.updated_array if one.call is not None else None
        before = one.operands if one.kind in (Kind.PHI, Kind.CYCLE) else (made,)
        new = [each for each in before if each is not None and each not in seen]
        seen.update(new)
        pending += new
    return False


def _is_stored(call: Call, array: Value) -> bool:
    """Whether the copy takes the place of the array, as an attribute of an object."""
    return array.kind is Kind.ATTRIBUTE and any(
        user.kind is Kind.SET_ATTRIBUTE and user.data == array.data for user in call.result.users
    )
