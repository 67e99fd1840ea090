"""Loops of Python over the elements of an array of JAX, with operations on each."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.semantics.query import Dependence, File, Kind, Loop, Value

_FEWEST = 16
"""Elements below which a loop is over soon."""
_ARRAY = "jax.Array"


def loops_over_elements(file: File) -> Iterator[Loop]:
    """The loops of a file that dispatch operations for one element of an array after the other."""
    if not file.mentions("jax"):
        return
    found = [
        loop
        for loop in file.loops()
        if not (loop.is_comprehension or loop.is_while)
        and _is_long(loop)
        and _works_on_elements(loop)
        and loop.function.is_run_by_python
    ]
    # Of a nest the innermost tells.
    around = {outer for loop in found for outer in loop.outer}
    yield from (loop for loop in found if loop not in around)


def _is_long(loop: Loop) -> bool:
    return not loop.is_short and (loop.known_count is None or loop.known_count >= _FEWEST)


def _works_on_elements(loop: Loop) -> bool:
    """Whether arithmetic is done with elements, each of which is an array on the device."""
    read = [one for one in (loop.element,) if one is not None and _is_device(loop.iterable)]
    counts = loop.element is not None and loop.element.python_type == "int"
    read += [
        item
        for item in loop.values(Kind.ITEM)
        if counts
        and _is_device(item.operands[0])
        and item.operands[0].dependence(loop) is Dependence.INVARIANT
        and item.operands[1].dependence(loop) is Dependence.VARYING
    ]
    return any(_is_computed_with(one, loop) for one in read)


def _is_device(value: Value) -> bool:
    return value.is_array is True and _ARRAY in value.types


def _is_computed_with(element: Value, loop: Loop) -> bool:
    """Whether an element stands in arithmetic. Keys of random numbers do not: they are few."""
    pending, seen = [element], {element}
    while pending:
        for user in pending.pop().readers:
            if user in seen or not loop.contains(user):
                continue
            seen.add(user)
            if user.kind is Kind.BINARY:
                return True
            if user.kind in (Kind.PART, Kind.ITEM):
                pending.append(user)
    return False
