"""Where the length of an array comes from, and whether it is another one each time."""

from __future__ import annotations

from typing import NamedTuple

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.rules.tracing.shape_per_call import lengths, sizes
from deepperf.rules.tracing.shape_per_call.collating import padded_part
from deepperf.semantics.query import MISSING, Call, Dependence, Kind, Loop, Repeated, Value

_THROUGH = (
    Trait.CASTS,
    Trait.CONVERTS,
    Trait.MAKES_TENSOR,
    Trait.CREATES_ARRAY,
    Trait.KEEPS_SHAPE,
    Trait.ELEMENTWISE,
)
_FROM_LIST = (Trait.CONVERTS, Trait.MAKES_TENSOR, Trait.CREATES_ARRAY)
_LONGEST = "each batch is as long as its longest element"
_ROWS = "it has as many rows as are sent"
_STEPS = 8


class Shape(NamedTuple):
    """An argument whose shape changes, what gives it its length, and why that changes."""

    at: Value
    source: Value | Call
    reason: str


class Search(NamedTuple):
    """An argument whose length is looked for.

    `is_index` where rows of a table are looked up by it, and `is_array` once a call is passed
    that makes an array of a list. `is_told` as long as the rule for what is passed anew tells of
    slices by itself.
    """

    argument: Value
    is_index: bool
    is_array: bool = False
    is_told: bool = False


def shape_of(search: Search, around: Repeated) -> Shape | None:
    """Why an argument has another shape each time; None where it may not."""
    argument, loop = search.argument, around.loop
    if loop is not None and loop.lengthens(argument) and not _is_local_list(argument):
        return Shape(argument, argument, f"it is a {argument.python_type} that gets longer")
    longer = _grows(argument, loop) if loop is not None else lengths.joined(argument)
    if longer is not None:
        return Shape(argument, longer, "each iteration makes it longer")
    return _shape(argument, around, search, _STEPS)


def _shape(value: Value, around: Repeated, search: Search, steps: int) -> Shape | None:
    if steps == 0 or not around.contains(value):
        return None
    argument, loop = search.argument, around.loop
    put = lengths.filled(value, around)
    if put is not None and search.is_array:
        return Shape(argument, put, "how often a loop fills it differs")
    if value.kind is Kind.ITEM and type(value.operands[1].constant) is str:
        return _shape(value.operands[0], around, search, steps - 1)
    if value.kind is Kind.ITEM and (end := sizes.end_of(value, around)) is not None:
        reason = f"the slice ends at `{end.text}`"
        is_text = value.operands[0].python_type == "str"
        return None if search.is_told or is_text else Shape(argument, value, reason)
    if value.kind is Kind.ITEM and (value.operands[1].is_mask or around.is_in_loop):
        is_mask = value.operands[1].is_mask is not False
        is_other = is_mask and around.is_new(value)
        return Shape(argument, value, "how much a mask picks differs") if is_other else None
    if value.kind is Kind.STAR:
        return _shape(value.operands[0], around, search, steps - 1)
    if value.kind in (Kind.DICT, Kind.TUPLE):
        parts = (_shape(part, around, search, steps - 1) for part in value.operands)
        return next((part for part in parts if part is not None), None)
    if value.kind is Kind.COLLECT and value.data == "dict":
        return _shape(value.operands[1], around, search, steps - 1)
    if value.kind is Kind.COLLECT:
        return _of_list(value, around, search)
    if value.kind is Kind.BINARY and _has_list(value):
        return _of_repeated(argument, value, loop) if loop is not None else None
    if value.kind in (Kind.BINARY, Kind.UNARY):
        inner = search._replace(is_told=False)
        parts = (_shape(part, around, inner, steps - 1) for part in value.operands)
        return next((part for part in parts if part is not None), None)
    if value.kind is Kind.PART and value.operands[0].call is not None:
        return _of_called(value.operands[0].call, value.data, around, search, steps)
    if value.kind in (Kind.ELEMENT, Kind.PART):
        owner = _taken_from(value)
        if owner is not None and around.contains(owner):
            return _shape(owner, around, search, steps - 1)
        is_given = loop is not None and _is_element(value, loop)
        return _of_element(value, search, loop) if is_given and loop is not None else None
    if value.kind is Kind.PARAMETER and search.is_array and lengths.holds_rows(value):
        return Shape(argument, value, _ROWS) if around.is_new(value) else None
    return _of_call(value.call, around, search, steps) if value.call is not None else None


def _of_call(call: Call, around: Repeated, search: Search, steps: int) -> Shape | None:
    argument = search.argument
    if call.runs and not call.facts:
        return _of_called(call, None, around, search, steps)
    if (size := sizes.size_of(call, around)) is not None:
        return Shape(argument, call, f"it is as long as `{size.text}` says")
    if (call.has(Trait.PADS) or call.is_named_as(Trait.PADS)) and not call.arguments:
        is_new = call.receiver is not None and around.is_new(call.receiver)
        return Shape(argument, call, _LONGEST) if is_new else None
    if call.has(Trait.PADS) and call.arguments:
        return Shape(argument, call, _LONGEST) if around.is_new(call.arguments[0]) else None
    if call.has(Trait.FINDS_PLACES):
        return Shape(argument, call, "how many elements it finds differs")
    if call.is_of("builtins.list") and call.arguments:
        return _of_sequence(call, call.arguments[0], around, search)
    is_moved = call.receiver is not None and call.may_have(Trait.MOVES)
    if not call.has(*_THROUGH) and not is_moved:
        return None
    if call.has(Trait.CREATES_ARRAY) and call.arguments:
        for size in call.arguments[0].operands if call.arguments[0].kind is Kind.TUPLE else ():
            if (found := lengths.longest(size, around)) is not None:
                return Shape(argument, found, f"it is as long as `{found.text}`")
    first = call.receiver if call.has(Trait.CASTS, Trait.KEEPS_SHAPE) or is_moved else None
    given = call.arguments[0] if call.arguments and not is_moved else first
    if given is None:
        return None
    made = search._replace(is_array=search.is_array or call.has(*_FROM_LIST))
    return _shape(given, around, made, steps - 1)


def _of_called(
    call: Call, part: int | None, around: Repeated, search: Search, steps: int
) -> Shape | None:
    """Of what a function of the project returns, or of a part of that."""
    search = search._replace(is_told=False)
    for function in call.runs if steps else ():
        inside = around.inside(call, function)
        for returned in function.returned:
            if part is None:
                found = _shape(returned, inside, search, steps - 1)
            elif returned.call is not None:
                found = _of_called(returned.call, part, inside, search, steps - 1)
            else:
                parts = returned.operands if returned.kind is Kind.TUPLE else ()
                value = parts[part] if 0 <= part < len(parts) else None
                found = _shape(value, inside, search, steps - 1) if value is not None else None
            if found is not None:
                return found
    return None


def _of_sequence(made: Value | Call, over: Value, around: Repeated, search: Search) -> Shape | None:
    """Of a list with an entry for each element of something, by which rows are looked up."""
    is_counted = over.call is not None and over.call.is_of("builtins.range")
    is_slice = over.kind is Kind.ITEM and over.operands[1].kind is Kind.SLICE
    is_list = search.is_index and search.is_array and not is_counted and not is_slice
    if not is_list or not around.is_new(over):
        return None
    return Shape(search.argument, made, f"it is as long as `{over.text}`")


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


def _of_list(made: Value, around: Repeated, search: Search) -> Shape | None:
    """Of a comprehension: over the words of a text, or one that fills rows up to the longest."""
    inside = made.operands[0]
    loops = made.function.loops()
    walks = [one for one in loops if one.contains(inside) and not one.contains(made)]
    if len(walks) != 1:
        return None
    longest = lengths.padded(inside, around)
    if longest is not None:
        reason = f"it is as long as `{longest.text}`"
        return Shape(search.argument, longest, reason)
    over = walks[0].iterable
    if over.call is not None and over.call.may_have(Trait.SPLITS):
        reason = f"it is as long as `{over.text}`"
        return Shape(search.argument, over, reason) if around.is_new(over) else None
    return None if _is_row(inside) else _of_sequence(made, over, around, search)


def _is_row(element: Value) -> bool:
    """Whether it is a list itself: what the rows are as long as, is for the element to say."""
    parts = (element, *(element.operands if element.kind is Kind.BINARY else ()))
    lists = (Kind.LIST, Kind.TUPLE, Kind.COLLECT)
    return any(
        part.kind in lists or (part.kind is Kind.BINARY and _has_list(part)) for part in parts
    )


def _has_list(value: Value) -> bool:
    return any(one.kind is Kind.LIST for one in value.operands)


def _is_element(value: Value, loop: Loop) -> bool:
    while value.kind is Kind.PART:
        value = value.operands[0]
    return value == loop.element


def _taken_from(value: Value) -> Value | None:
    """The dict whose values a comprehension goes over, where something is one of these."""
    element = value.operands[0] if value.kind is Kind.PART and value.data == 1 else value
    over = element.operands[0].call if element.kind is Kind.ELEMENT else None
    is_items = over is not None and over.is_of("builtins.dict.items", "builtins.dict.values")
    if over is None or over.receiver is None or not (is_items or over.callee.data == "items"):
        return None
    return over.receiver


def _path(value: Value) -> tuple[int, ...]:
    """Which part of a batch something is; the number that `enumerate` gives left out."""
    found: list[int] = []
    while value.kind is Kind.PART:
        found.append(value.data)
        value = value.operands[0]
    over = value.operands[0].call if value.kind is Kind.ELEMENT else None
    if over is not None and over.is_of("builtins.enumerate") and found:
        found.pop()
    return tuple(reversed(found))


def _of_element(element: Value, search: Search, loop: Loop) -> Shape | None:
    """Of what a loop goes over: batches that are padded to their longest element."""
    pending, seen = [loop.iterable], set[Value]()
    while pending and len(seen) < 20:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        for made in value.makers:
            if made.has(Trait.PADS):
                is_new = _pads_to_longest(made, element) and not _is_resized(made)
                return Shape(search.argument, made, _LONGEST) if is_new else None
            if made.has(Trait.LOADS_BATCHES):
                padding = padded_part(made, _path(element))
                return Shape(search.argument, padding, _LONGEST) if padding is not None else None
            pending += [one for function in made.runs for one in function.returned]
            if made.receiver is not None:
                pending.append(made.receiver)
    return None


def _is_resized(made: Call) -> bool:
    """Whether what is padded was resized before, so that all may have one shape already."""
    pending, seen = [made.receiver], set[Value]()
    while pending and len(seen) < 20:
        value = pending.pop()
        if value is None or value in seen:
            continue
        seen.add(value)
        for before in value.makers:
            given = before.in_role(ParameterRole.FUNCTION)
            for function in given.functions if given is not None else ():
                if function.reaches(Trait.RESIZES):
                    return True
            pending.append(before.receiver)
    return False


def _pads_to_longest(made: Call, element: Value) -> bool:
    """Whether what an iteration is given, or that part of it, is as long as the longest."""
    given = made.argument("padded_shapes", 1)
    if given is None:
        return True
    is_part = element.kind is Kind.PART and given.kind is Kind.TUPLE
    if is_part and 0 <= element.data < len(given.operands):
        given = given.operands[element.data]
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
