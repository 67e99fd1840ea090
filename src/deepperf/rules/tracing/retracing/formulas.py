"""What compiled functions are passed anew: numbers and texts, and arrays of new lengths."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.query import (
    Call,
    Compilation,
    Dependence,
    File,
    Function,
    Kind,
    Loop,
    Number,
    Repeated,
    Value,
    changes,
    is_one_of_few,
    number_of,
    repeated,
)

_NUMBERED = (Kind.BINARY, Kind.ELEMENT, Kind.PART, Kind.CALL)
_MAKING = (Trait.CREATES_ARRAY, Trait.MAKES_TENSOR, Trait.CONVERTS)
_HOLDING = (Kind.LIST, Kind.TUPLE, Kind.DICT)
_DEEPEST = 3


class Anew(enum.Enum):
    """What a compiled function is passed; a list that gets longer is traced at each length."""

    NUMBER = "a Python number"
    TEXT = "a string"
    LIST = "a list that gets longer: each length is traced by itself"
    PLAIN = "made of Python's numbers, texts and lists"
    LENGTH = "of a new length"


class Passed(NamedTuple):
    """A call, what it passes, by which parameter, and how the function is compiled.

    `is_indices` where rows of a table are looked up by it; `is_sure` unless it may be one of few,
    or readers judged too few findings of the kind; `field` where an object that is passed holds it.
    """

    call: Call
    argument: Value
    parameter: str
    compiled: Compilation
    anew: Anew = Anew.NUMBER
    is_sure: bool = True
    is_indices: bool = False
    field: str = ""

    @property
    def text(self) -> str:
        """What is passed, as it is written: of a variable that a loop carries, its name."""
        is_met = self.argument.kind in (Kind.PHI, Kind.CYCLE)
        return (self.argument.operands[-1].variable if is_met else "") or self.argument.text


def passed(file: File) -> Iterator[Passed]:
    """What a file passes again and again to functions that are compiled for each value of it."""
    if file.is_in_compiling_project:
        for call in file.calls():
            found = _passed(call)
            if found is not None and not call.runs_seldom:
                yield found


def _passed(call: Call) -> Passed | None:
    for function in call.runs:
        compiled = function.compiled_itself
        if compiled is None or call.function.is_traced:
            continue
        found = (
            _by_value(call, function, compiled)
            or _by_length(call, function, compiled)
            or _by_field(call, function, compiled)
        )
        if found is not None:
            return found
    return None


def _by_value(call: Call, function: Function, compiled: Compilation) -> Passed | None:
    names = function.parameter_names
    if any(one.call is not None and one.call.has(Trait.GIVES_MODEL) for one in call.arguments):
        return None  # another model is another version in any case
    for name in sorted(compiled.by_value(function), key=names.index):
        given = call.passed_for(function, names.index(name))
        if given is None:
            continue
        found = Passed(call, given, name, compiled)
        anew = _anew(given, _loops(call), _DEEPEST)
        if anew is not None:
            return found._replace(anew=anew)
        around = repeated(call)
        if around is None:
            continue
        if _is_lengthened(given):
            return found._replace(anew=Anew.LIST, is_sure=False)
        if _is_changed_number(given):
            return found._replace(is_sure=False)
        if _is_read(given, around):
            is_indices = function.parameters[names.index(name)].is_used_as_index
            return found._replace(anew=Anew.PLAIN, is_sure=False, is_indices=is_indices)
    return None


def _by_length(call: Call, function: Function, compiled: Compilation) -> Passed | None:
    said = (ParameterRole.SIGNATURE, ParameterRole.RELAXED_SHAPES)
    is_relaxed = any(compiled.option(role) is not None for role in said)
    if is_relaxed or not compiled.has(Trait.TRACES_EACH_SHAPE):
        return None
    for index, name in enumerate(function.parameter_names):
        given = call.passed_for(function, index)
        if given is None:
            continue
        if any(_has_new_length(given, loop) for loop in _loops(call)[:1]):
            return Passed(call, given, name, compiled, Anew.LENGTH)
        if _is_lengthened(given) and repeated(call) is not None:
            return Passed(call, given, name, compiled, Anew.LENGTH, is_sure=False)
    return None


def _by_field(call: Call, function: Function, compiled: Compilation) -> Passed | None:
    """An object that is made, or copied, with another number in a field that is a constant."""
    for index, name in enumerate(function.parameter_names if compiled.framework == "jax" else ()):
        given = call.passed_for(function, index)
        made = given.call if given is not None else None
        if given is None or made is None or not made.keywords:
            continue
        of = (given, made.receiver, *made.arguments[:1])
        fields = frozenset[str]().union(*[one.static_fields for one in of if one is not None])
        for field in sorted(fields.intersection(made.keywords)):
            value = made.argument(field)
            anew = _anew(value, _loops(call), _DEEPEST) if value is not None else None
            if value is not None and anew is not None:
                return Passed(call, value, name, compiled, anew, field=field)
    return None


def _loops(call: Call) -> list[Loop]:
    return [loop for loop in call.loops if not loop.is_short]


# Lengths


def _has_new_length(value: Value, loop: Loop) -> bool:
    """Whether it is a slice of an array whose one end moves, or gets longer in each iteration."""
    if value.kind is Kind.ITEM:
        array, index = value.operands
        parts = index.operands if index.kind is Kind.TUPLE else (index,)
        if all(part.constant is None for part in parts):
            return _has_new_length(array, loop)  # `x[None]` takes everything
        return array.is_array is True and any(_moves_one_end(part, loop) for part in parts)
    call = value.call
    if call is not None and call.has(*_MAKING) and call.arguments:
        return _has_new_length(call.arguments[0], loop)
    return _is_longer_list(value, loop) or _is_joined(value, loop)


def _moves_one_end(index: Value, loop: Loop) -> bool:
    ends = [end for end in index.operands[:2] if not end.is_missing]
    return index.kind is Kind.SLICE and len(ends) == 1 and _is_new(ends[0], loop)


def _is_longer_list(value: Value, loop: Loop) -> bool:
    """Whether each iteration puts more into a list, and none takes anything out."""
    calls = [call for call in loop.calls() if call.receiver == value]
    is_kept = all(call.has(Trait.KEEPS_ARGUMENT) for call in calls)
    return value.python_type == "list" and is_kept and loop.lengthens(value)


def _is_joined(array: Value, loop: Loop) -> bool:
    """Whether each iteration joins what there was with more: `x = concatenate([x, new])`."""
    if array not in loop.carried:
        return False
    joins = [one.call for one in array.operands[1:]]
    return all(
        call is not None
        and call.has(Trait.LENGTHENS)
        and any(array in given.operands for given in call.arguments[:1])
        for call in joins
    )


# Values


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


def _anew(value: Value, loops: list[Loop], depth: int) -> Anew | None:
    """What a value is that the iterations of a loop, or of one around callers, pass anew."""
    shown = tuple(value.parts) if value.kind is Kind.FORMAT else ()
    if any(_is_new(one, loop) for one in shown for loop in loops):
        return Anew.TEXT
    shown = value.operands if value.kind in _HOLDING else (value,)
    if any(_is_new(one, loop) for one in shown for loop in loops):
        return Anew.NUMBER
    parameters = [one for one in value.parts if one.kind is Kind.PARAMETER]
    if not depth or not parameters or is_one_of_few(value):
        return None
    for call in value.function.callers():
        given = (call.passed_for(value.function, one.data) for one in parameters)
        found = [_anew(one, _loops(call), depth - 1) for one in given if one is not None]
        if Anew.NUMBER in found:
            return Anew.NUMBER
    return None


def _is_new(value: Value, loop: Loop) -> bool:
    """Whether it is a Python number, and another one in most iterations."""
    if value.dependence(loop) in (Dependence.INVARIANT, Dependence.UNKNOWN):
        return False
    # Arrays times numbers are arrays.
    is_array = any(part.is_array for part in value.parts)
    is_known = number_of(value) is not Number.UNKNOWN
    if value.kind is Kind.CYCLE and value in loop.carried:
        # `rate *= 0.9`, in each iteration.
        return not is_array and is_known and _is_formula(value.operands[1], 0)
    is_number = is_known and value.kind in _NUMBERED
    return not is_array and is_number and _is_formula(value, 0)


def _is_formula(value: Value, depth: int) -> bool:
    """Whether it counts, or computes with what it is made of, and chooses none of few."""
    if depth > _DEEPEST or is_one_of_few(value):
        return False
    if value.call is not None and value.call.runs:
        results = [one for run in value.call.runs for one in run.returned]
        return any(_is_formula(one, depth + 1) for one in results)
    return value.kind in _NUMBERED
