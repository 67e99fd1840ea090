"""A function is mapped over the slices of an array, though its operations take them all at once."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_call, on_file
from deepperf.semantics.view import Batching, Call, Expression, FileView, RowWork

rule = Rule(
    module=__name__,
    cause="missed-batch-api",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.NOTE,
    frameworks=("tensorflow", "torch", "jax", "numpy"),
)
FEW = 10
MOST_FORMS = 2


@on_call(Trait.MAPS_ROWS)
def check(call: Call) -> Iterator[Finding]:
    function = call.argument(ParameterRole.FUNCTION)
    elements = call.argument(ParameterRole.ELEMENTS)
    if function is None or elements is None or call.unpacks or _is_unlike(call, elements):
        return
    work = function.row_work
    # Where its own function is mapped, that map is the one to replace.
    if work is None or (call.function is not None and call.function.is_run_for_each_row()):
        return
    # Made to take all slices at once, it pays its conversion in vain only where nothing changes.
    if call.has(Trait.VECTORIZES) and function.batching is not Batching.ALIKE:
        return
    yield rule.finding(
        call,
        _message(call, function, work),
        _remedy(call, elements, work),
    )


@on_file
def check_python_maps(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    for call, join in file.joined_maps():
        function, elements = call.arguments
        few = (count for count in (elements.length, elements.rows) if count is not None)
        work = function.row_work
        if work is None or work.has_loops or work.may_look_up:
            continue
        if any(count <= FEW for count in few):
            continue
        yield rule.finding(
            call,
            _message(call, function, work),
            _remedy(call, elements, work),
            framework=join.framework,
        )


def _is_unlike(call: Call, elements: Expression) -> bool:
    """Whether slices are few, or not of one shape, or taken apart for the memory they need."""
    if call.argument(ParameterRole.CHUNK) is not None:
        return True
    # Along its only axis an array is one slice.
    if call.takes(ParameterRole.AXIS) and len(elements.sizes or ()) == 1:
        return True
    said = call.argument(ParameterRole.RAGGED)
    if said is not None:
        written = (said.text, *(made.called for made in said.made_by()))
        if said.literal is False or any("Ragged" in text for text in written):
            return True
    if elements.is_ragged:
        return True
    if elements.text.startswith(("(", "[")):  # several arrays, mapped over together
        return False
    return elements.length is not None and elements.length <= FEW


def _message(call: Call, function: Expression, work: RowWork) -> str:
    if call.has(Trait.VECTORIZES):
        name = function.callable_name
        return f"`{call.called}` vectorizes {name}, which accepts all slices as it is"
    nested = ", itself with a map inside," if work.is_nested else ""
    return (
        f"`{call.called}` runs {function.callable_name}{nested} on one slice at a time, "
        "although its operations accept all slices at once"
    )


def _remedy(call: Call, elements: Expression, work: RowWork) -> str:
    place = f"`{elements.text}`" if len(elements.text) <= 30 else "the whole of it"
    if call.fact is not None and call.fact.batched_form:
        return call.fact.batched_form.format(op=f"`{call.called}`")
    return f"apply its operations to {place}: {'; '.join(work.forms[:MOST_FORMS])}"
