"""Numbers that a compiled function is passed, and that a formula gives anew in each iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import (
    Call,
    Compilation,
    Dependence,
    File,
    Kind,
    Loop,
    Number,
    Repeated,
    Value,
    changes,
    number_of,
    repeated,
)

_FEW_VALUES = frozenset(("Mod", "FloorDiv", "Mod=", "FloorDiv="))
_DEEPEST = 3
_NUMBER = "a Python number"
_LONGER = "a list that gets longer: each length is traced by itself"
_PLAIN = "made of Python's numbers, texts and lists"


class Passed(NamedTuple):
    """A call, what of Python it passes, by which parameter, and how the function is compiled.

    `says` what that is; `is_indices` where rows of a table are looked up by it; `is_sure` unless it
    may be one of few, or readers judged too few findings of the kind; `is_longer` for a list that
    grows.
    """

    call: Call
    argument: Value
    parameter: str
    compiled: Compilation
    says: str = _NUMBER
    is_sure: bool = True
    is_indices: bool = False
    is_longer: bool = False


def passed(file: File) -> Iterator[Passed]:
    """What a file passes again and again to functions that are compiled for each value of it."""
    if file.is_in_compiling_project:
        for call in file.calls():
            found = _passed(call)
            if found is not None and not call.runs_seldom:
                yield found


def _passed(call: Call) -> Passed | None:
    around: Repeated | None = None
    for function in call.runs:
        compiled = function.compiled_itself
        if compiled is None or call.function.is_traced:
            continue
        around = around or repeated(call)
        names = function.parameter_names
        for name in sorted(compiled.by_value(function), key=names.index):
            given = call.passed_for(function, names.index(name))
            if given is None or around is None:
                continue
            found = Passed(call, given, name, compiled)
            if around.loop is not None and _is_new(given, around.loop):
                return found
            if _is_lengthened(given):
                return found._replace(says=_LONGER, is_sure=False, is_longer=True)
            if _is_changed_number(given):
                return found._replace(is_sure=False)
            if _is_read(given, around):
                is_indices = function.parameters[names.index(name)].is_used_as_index
                return found._replace(says=_PLAIN, is_sure=False, is_indices=is_indices)
    return None


def _is_lengthened(value: Value) -> bool:
    """Whether it is a list that an object keeps, puts more into, and never begins anew."""
    if value.kind is not Kind.ATTRIBUTE or value.python_type != "list":
        return False
    stores = value.operands[0].stores(value.data)
    if not stores or any(one.function.name != "__init__" for one in stores):
        return False
    is_longer = False
    for call in stores[0].file.calls():
        receiver = call.receiver
        if receiver is None or receiver.kind is not Kind.ATTRIBUTE or receiver.data != value.data:
            continue
        if receiver.operands[0].stores(value.data) == stores:
            if call.is_of("builtins.list.clear"):
                return False
            is_longer = is_longer or call.has(Trait.KEEPS_ARGUMENT)
    return is_longer


def _is_changed_number(value: Value) -> bool:
    """Whether it is an attribute with a number that the program changes meanwhile."""
    return value.kind is Kind.ATTRIBUTE and next(changes(value), None) is not None


def _is_read(value: Value, around: Repeated) -> bool:
    """Whether it is a part of what a call reads from a text, as Python's own lists and numbers."""
    if value.kind is Kind.ITEM and value.operands[1].kind is not Kind.SLICE:
        return _is_read(value.operands[0], around)
    call = value.call
    if call is None:
        return False
    if call.has(Trait.GIVES_PLAIN):
        return bool(call.arguments) and around.is_new(call.arguments[0])
    receiver = call.receiver
    is_part = receiver is not None and not call.runs and call.callee.data == "get"
    return is_part and receiver is not None and _is_read(receiver, around)


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
