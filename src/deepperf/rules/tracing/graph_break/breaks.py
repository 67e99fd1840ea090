"""Where `torch.compile` has to end a graph, and why."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.query import Call, Function, Kind, Value

_NUMBERS_CAPTURED = "capture_scalar_outputs"
"""The option of the compiler by which numbers that are read stay in the graph."""
_SHAPES_CAPTURED = "capture_dynamic_output_shape_ops"
_NUMBERS = ("builtins.float", "builtins.int", "builtins.bool")
_KEEP = "keep it a tensor: compute with it, and read it outside of what is compiled"
_BEHIND = (
    "print outside of what is compiled, or only where `torch.compiler.is_compiling()` is false"
)
_MOVE = "do it outside of what is compiled, before or behind the call"
_PLAIN = "compute it with Python's own numbers: `math.prod(shape)`, `max(lengths)`"
_CUT = "cut before the compiled call, with a number of Python, or keep the length and mask the rest"
_MASK = "keep the shape: multiply by the mask, or use `torch.where` or `masked_fill`"
_FORWARD = "compile the model and its loss only; the backward pass is compiled with them"
_CHOICE = "choose with `torch.where`, or with `torch.cond` where a branch is costly"
_LOOP = (
    "compile what one iteration does, and leave the loop outside of it, to Python; or go through a"
    " fixed number of iterations, and keep with `torch.where` what is done already"
)
_EFFECTS = {
    Trait.PRINTS: ("printing and logging are not compiled", _BEHIND),
    Trait.STAYS_PYTHON: ("it is left to Python", _MOVE),
    Trait.TELLS_TIME: ("a clock is read in Python", "take the time around the compiled call"),
    Trait.COLLECTS_GARBAGE: ("it is left to Python", _MOVE),
    Trait.SAVES: ("files are written in Python", _MOVE),
}


class Break(NamedTuple):
    """Where the compiler splits its graph, why, and what to write instead.

    `costs_little` where what lies behind it is no work that could have been fused, and where an
    option or a size decides whether it runs. `stays` where nothing of the same use would not break.
    """

    at: Value | Call
    reason: str
    remedy: str
    costs_little: bool = False
    stays: bool = False


def breaks(function: Function) -> Iterator[Break]:
    """The places of a function where its graph ends, in no order."""
    for found in _breaks(function):
        yield found._replace(costs_little=True) if is_optional(found.at) else found


def is_optional(at: Value | Call) -> bool:
    """Whether an option, a size or an input that may be left out decides whether it runs."""
    return any(_is_option(test) or _rests_on_option(test) for test in at.conditions)


def _rests_on_option(value: Value) -> bool:
    """Whether it is made of an attribute, or of a parameter that has a default."""
    pending, seen = [value], {value}
    while pending:
        part = pending.pop()
        if part.kind is Kind.ATTRIBUTE:
            return True
        if part.kind is Kind.PARAMETER:
            if any(default.kind is not Kind.UNBOUND for default in part.operands[1:]):
                return True
            continue
        found = [one for one in part.operands if one not in seen]
        seen.update(found)
        pending += found
    return False


def _is_option(condition: Value) -> bool:
    """Whether it rests on no tensor, and asks for more than whether something is there."""
    is_given = condition.kind is Kind.COMPARE and all(one == "IsNot" for one in condition.data)
    return not is_given and not _is_data(condition)


def _breaks(function: Function) -> Iterator[Break]:
    numbers_captured = function.file.project_mentions(_NUMBERS_CAPTURED)
    shapes_captured = function.file.project_mentions(_SHAPES_CAPTURED)
    for call in function.calls():
        found = _reading(call) if not numbers_captured else None
        found = found or (_finding_places(call) if not shapes_captured else None)
        found = found or _effect(call)
        if found is not None:
            yield found
    loops = list(function.loops())
    for test in function.values(Kind.TEST, Kind.CHOICE):
        asked = None if test.data in ("match", "assert") else _asked(test.operands[0])
        if asked is not None:
            is_loop = any(loop.is_while and loop.place == test.place for loop in loops)
            yield Break(
                asked,
                f"Python's `{'while' if is_loop else 'if'}` needs the value of a tensor",
                _LOOP if is_loop else _CHOICE,
                costs_little=_is_asked_late(test.operands[0]),
            )
    for item in function.values(Kind.ITEM) if not numbers_captured else ():
        if (bound := _bound_of(item)) is not None:
            reason = f"how long the slice is, is the value of a tensor: `{bound.text}`"
            yield Break(item, reason, _CUT)
    for item in function.values(Kind.ITEM) if not shapes_captured else ():
        if item.operands[1].is_mask and item.operands[0].is_array is not False:
            yield Break(item, "how much a mask picks is not known before it runs", _MASK)


def _reading(call: Call) -> Break | None:
    if call.has(Trait.READS_NUMBERS) and call.receiver is not None and _is_tensor(call.receiver):
        return Break(call, f"`.{call.callee.data}()` reads a tensor's value", _KEEP)
    if call.is_of(*_NUMBERS) and len(call.arguments) == 1 and call.arguments[0].is_array_by_method:
        return Break(call, "it reads a tensor's value", _KEEP)
    if call.is_of(*_NUMBERS) and len(call.arguments) == 1 and _is_of_numpy(call.arguments[0]):
        # What NumPy computes is traced as a tensor, of a shape too.
        return Break(call, "it reads the value of what NumPy gives, a tensor here", _PLAIN)
    return None


def _is_of_numpy(value: Value) -> bool:
    call = value.call
    facts = call.facts if call is not None else ()
    return bool(facts) and all(
        fact.framework == "numpy" and Trait.REDUCES in fact.traits for fact in facts
    )


def _bound_of(item: Value) -> Value | None:
    """The tensor that says where a slice begins or ends."""
    index = item.operands[1]
    parts = index.operands if index.kind is Kind.TUPLE else (index,)
    bounds = [one for part in parts if part.kind is Kind.SLICE for one in part.operands]
    return next((one for one in bounds if not one.is_missing and one.is_array_by_method), None)


def _finding_places(call: Call) -> Break | None:
    """What gives as many elements as the values of a tensor tell."""
    counts = call.in_role(ParameterRole.COUNTS)
    is_counted = counts is not None and counts.is_array and not call.in_role(ParameterRole.LENGTH)
    is_torch = any(fact.framework == "torch" for fact in call.facts)
    is_torch = is_torch or call.is_named_as(Trait.FINDS_PLACES)
    is_where = call.has(Trait.SELECTS) and len(call.arguments) == 1 and not call.passes_unseen
    if (is_torch and (call.may_have(Trait.FINDS_PLACES) or is_where)) or is_counted:
        # The places themselves may be what is wanted, and no mask is as short as these.
        reason = "how long its result is, is not known before it runs"
        return Break(call, reason, _MASK, costs_little=True, stays=True)
    return None


def _effect(call: Call) -> Break | None:
    # What stands in an `if` on sizes or options is left out where that does not hold.
    if call.is_conditional() and not any(map(_is_data, call.conditions)):
        return None
    if call.has(Trait.BACKPROPAGATES):
        return Break(
            call, "gradients are not computed inside of a graph", _FORWARD, costs_little=True
        )
    if call.has(Trait.COPIES_ALL) and call.arguments and _is_of_tensors(call.arguments[0]):
        return Break(call, "tensors are copied in Python", _MOVE)
    if call.has(Trait.PRINTS) and not all(fact.framework == "python" for fact in call.facts):
        return None
    package = call.package_left_to_python
    if package:
        return Break(call, f"`{package}` is left to Python", _MOVE, costs_little=True)
    found = next((trait for trait in _EFFECTS if call.has(trait)), None)
    return None if found is None else Break(call, *_EFFECTS[found])


def _is_of_tensors(value: Value) -> bool:
    return value.is_array is True or Trait.RUNS_MODULE in value.call_traits


def _is_data(value: Value) -> bool:
    """Whether a condition rests on what a tensor holds."""
    return any(
        bool(one.is_array_by_method) or one.call.has(Trait.READS_NUMBERS)
        if one.call is not None
        else one.is_array is True
        for one in value.parts
    )


def _is_tensor(value: Value) -> bool:
    return value.is_array is not False


def _is_asked_late(value: Value) -> bool:
    """Whether an option stands before the tensor in an `and` or `or`."""
    parts = value.operands if value.kind is Kind.LOGIC else ()
    before = list(itertools.takewhile(lambda one: _asked(one) is None, parts))
    return any(map(_is_option, before))


def _asked(value: Value) -> Value | None:
    """The tensor whose truth a condition takes."""
    if value.kind is Kind.LOGIC or (value.kind is Kind.UNARY and value.data == "Not"):
        return next((found for one in value.operands if (found := _asked(one))), None)
    if value.kind is Kind.COMPARE and not value.is_array:
        is_identity = all(operator in ("Is", "IsNot") for operator in value.data)
        is_of_arrays = any(one.is_array_by_method for one in value.operands)
        return value if is_of_arrays and not is_identity else None
    # A function of the program may compare tensors.
    is_compared = value.call is not None and value.call.runs and value.is_mask
    return value if value.is_array_by_method or is_compared else None
