"""The edit that lets a compiled step reuse its state's memory, where nothing is seen to read it."""

from __future__ import annotations

from collections.abc import Sequence

from deepperf.fixes.arguments import add_keyword
from deepperf.fixes.imports import spell
from deepperf.knowledge.schema import Trait
from deepperf.records import Edit, Fix, Safety
from deepperf.semantics.query import Call, Compilation, Kind, Loop, Value

_PARTIAL = "functools.partial"
_OF_OTHERS = frozenset((Kind.NAME, Kind.ATTRIBUTE, Kind.ITEM, Kind.PHI))
_PARTS = frozenset((Kind.ATTRIBUTE, Kind.ITEM, Kind.PART))


def donating(
    step: Call, replaced: Sequence[Value], compiled: Compilation, option: str, numbers: str
) -> Fix | None:
    """Give the option to the compiler of a step that one loop alone calls."""
    loop, function = step.long_loop, step.runs[0]
    if compiled.path != step.path or loop is None or len(step.runs) != 1 or function.is_method:
        return None
    first = [head.operands[0] for head in replaced]
    others = [one for one in step.arguments if one not in replaced]
    is_one_array = len({*first}) < len(first) or any(one in first for one in others)
    if function.callers() != (step,) or is_one_array:
        return None
    is_held = any(_is_held(one) or _is_kept(one.operands[1], loop, one) for one in replaced)
    edits = () if is_held else _edits(compiled, option, numbers)
    return Fix("let it reuse the memory of its state", edits, Safety.UNSAFE) if edits else None


def _is_held(head: Value) -> bool:
    """Whether something besides the loop may read what a variable held before it."""
    first, loops = head.operands[0], _loops_of(head)
    if first.is_missing or first.kind in _OF_OTHERS:
        return True
    if any(not outer.contains(first) for outer in loops[1:]):
        return True  # the next iteration of an outer loop begins with it once more
    later = [one for one in first.users if one.place[2] > head.place[2] and one != head]
    if first.kind is Kind.CYCLE:
        # Behind its loop the variable holds what the last iteration gave.
        around = loops[1:2]
        return any(around[0].contains(one) for one in later if around) or _is_held(first)
    if later:
        return True
    if first.kind is Kind.PARAMETER:
        callers = first.function.callers()
        return not callers or any(_is_read_behind(call, first) for call in callers)
    made = first.operands[0].call if first.kind is Kind.PART else first.call
    # What holds one array twice can't give it away.
    return made is None or len({*made.arguments}) < len(made.arguments)


def _loops_of(head: Value) -> tuple[Loop, ...]:
    inner = next((one for one in head.function.loops() if one.region == head.data), None)
    return () if inner is None else (inner, *inner.outer)


def _is_read_behind(call: Call, parameter: Value) -> bool:
    """Whether what a call passes for a parameter is read once it is back."""
    names = call.runs[0].parameter_names if call.runs else ()
    given = call.passed_for(parameter.function, parameter.data) if names else None
    if given is None:
        return call.passes_unseen
    if given.kind in _OF_OTHERS or any(not loop.contains(given) for loop in call.loops):
        return True
    return any(user.place[2] > call.place[2] for user in given.users if user != call.result)


def _is_kept(new: Value, loop: Loop, head: Value) -> bool:
    """Whether something keeps what an iteration gives, which the next one would delete."""
    pending, seen = [new], set[Value]()
    while pending:
        for user in pending.pop().users:
            if user in seen or user == head or not loop.contains(user):
                continue
            seen.add(user)
            if user.kind in _PARTS:
                pending.append(user)
            elif user.call is None or user.call.has(Trait.KEEPS_ARGUMENT):
                return True
    return False


def _edits(compiled: Compilation, option: str, numbers: str) -> tuple[Edit, ...]:
    text, (start, end) = compiled.file_text, compiled.span
    if compiled.op.kind is Kind.CALL:
        edit = add_keyword(text, start, end, option, numbers)
        return (edit,) if edit is not None else ()
    partial = spell(text, _PARTIAL)
    if partial is None:
        return ()
    made = f"{partial.text}({compiled.source}, {option}={numbers})"
    return (Edit(start, end, made), *partial.edits)
