"""Numbers that a compiled function is passed, and that a formula gives anew in each iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.semantics.query import (
    Call,
    Compilation,
    Dependence,
    File,
    Kind,
    Loop,
    Number,
    Value,
    number_of,
)

_FEW_VALUES = frozenset(("Mod", "FloorDiv", "Mod=", "FloorDiv="))
_DEEPEST = 3


class Passed(NamedTuple):
    """A call, the number that it passes, by which parameter, and how the function is compiled."""

    call: Call
    argument: Value
    parameter: str
    compiled: Compilation


def passed(file: File) -> Iterator[Passed]:
    """The numbers that loops of a file pass to functions that are compiled for each of them."""
    if file.is_in_compiling_project:
        for call, loop in file.looped_calls():
            found = None if "seldom" in call.runs_for else _passed(call, loop)
            if found is not None:
                yield found


def _passed(call: Call, loop: Loop) -> Passed | None:
    for function in call.runs:
        compiled = function.compiled_itself
        if compiled is None or call.function.is_traced:
            continue
        names = function.parameter_names
        bound = 1 if function.is_method else 0
        for name in sorted(compiled.by_value(function), key=names.index):
            given = call.argument(name, names.index(name) - bound)
            if given is not None and _is_new(given, loop):
                return Passed(call, given, name, compiled)
    return None


def _is_new(value: Value, loop: Loop) -> bool:
    """Whether it is a Python number, and another one in most iterations."""
    if value.dependence(loop) is not Dependence.VARYING:
        return False
    if value == loop.element:
        return number_of(value) is Number.INTEGER
    # Arrays times numbers are arrays.
    is_array = any(part.is_array for part in value.parts)
    return not is_array and number_of(value) is Number.FLOAT and _is_formula(value, 0)


def _is_formula(value: Value, depth: int) -> bool:
    """Whether it computes with what it is made of, and chooses none of few."""
    if depth > _DEEPEST or any(_takes_few(part) for part in value.parts):
        return False
    if value.call is not None and value.call.runs:
        results = [one for run in value.call.runs for one in run.returned]
        return any(_is_formula(one, depth + 1) for one in results)
    return value.kind is Kind.BINARY or value.call is not None


def _takes_few(part: Value) -> bool:
    return part.kind in (Kind.CHOICE, Kind.COMPARE) or (
        part.kind is Kind.BINARY and part.data in _FEW_VALUES
    )
