"""Random numbers are drawn one at a time in a loop that only collects them."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call, each_loop
from deepperf.rules.vectorization.looped_draw.shapes import (
    draws_number,
    draws_one,
    draws_short_row,
    parameters_of,
)
from deepperf.semantics.query import Call, Dependence, Kind, Loop, LoopKind, Value

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.NOTE,
    frameworks=("tensorflow", "torch", "jax", "numpy"),
)
_PASSING = frozenset((LoopKind.BATCH, LoopKind.STEP, LoopKind.EPOCH, LoopKind.TOKEN))
_ON_ARRAYS = (Trait.ELEMENTWISE, Trait.ALONG_AXIS, Trait.BATCHED)


@each_call(Trait.DRAWS)
def check(call: Call) -> Iterator[Finding]:
    if call.passes_unseen or call.function.runs_natively:
        return
    if not draws_one(call):
        yield from _rows(call)
        return
    where = _in_loop(call) or _in_map(call)
    if where:
        yield _finding(call, call, where)
        return
    for caller in _callers_that_draw(call):
        where = _in_loop(caller)
        if where:
            yield _finding(caller, call, where)


def _rows(call: Call) -> Iterator[Finding]:
    """Short rows, where starting an operation takes longer than drawing one."""
    if call.framework in ("tensorflow", "jax") and call.loops and draws_short_row(call):
        where = _in_loop(call)
        if where:
            yield _finding(call, call, where)


def _finding(place: Call, draw: Call, where: str) -> Finding:
    fact = draw.facts[0]
    what = "a short row of numbers"
    if draws_one(draw):
        what = "a single number" if draws_number(draw) else "one sample"
    return rule.finding(
        place,
        f"`{place.name}` draws {what} {where}",
        fact.batched_form.format(op=f"`{draw.name}`"),
        framework=fact.framework,
        estimate=0.01,
    )


def _in_loop(call: Call) -> str:
    """The words for the loop that collects what it draws; "" where there is none."""
    loop = call.loops[0] if call.loops else None
    if loop is None or loop.is_short or loop.kind in _PASSING or not call.result.is_kept_by(loop):
        return ""
    given = [part.dependence(loop) for part in parameters_of(call)]
    if max(given, default=Dependence.INVARIANT) > Dependence.VARYING:
        return ""
    if call.has(Trait.DRAWS_ALIKE) and any(given):
        return ""
    # A number of NumPy costs nothing beside work on an array.
    if not loop.only_computes or (call.framework == "numpy" and _works_beside(loop)):
        return ""
    return f"in every iteration of `{loop.header}`"


def _works_beside(loop: Loop) -> bool:
    """Whether iterations work on arrays that are there without what they draw."""
    return any(not _rests_on_draw(call.result) for call in loop.calls(*_ON_ARRAYS))


def _rests_on_draw(value: Value) -> bool:
    pending, seen = [value], {value}
    while pending:
        one = pending.pop()
        if one.call is not None and one.call.has(Trait.DRAWS):
            return True
        new = [part for part in one.operands if part not in seen]
        seen.update(new)
        pending += new
    return False


def _callers_that_draw(call: Call) -> list[Call]:
    """The calls, in the same file, of the function around a call, if that only draws."""
    function = call.function
    if call.loops or not call.result.is_only_returned or not function.only_computes:
        return []
    if next(iter(function.calls(Trait.DRAWS))) != call:
        return []
    return [one for one in function.callers() if one.file.path == call.file.path]


def _in_map(call: Call) -> str:
    """The words for the map whose function draws by slices, or does nothing else."""
    function = call.function
    if call.loops or call.op.region < 0:
        return ""
    own = set(function.parameters)
    by_slice = any(_reads(part, own) for part in parameters_of(call))
    if by_slice and call.has(Trait.DRAWS_ALIKE):
        return ""
    if not by_slice and any(parameter.users for parameter in own):
        return ""
    for mapping in function.callers():
        if mapping.has(Trait.MAPS_ROWS) and mapping.in_role(ParameterRole.ELEMENTS) is not None:
            return f"for each slice that `{mapping.name}` passes"
    return ""


def _reads(value: Value, parameters: set[Value]) -> bool:
    return any(part in parameters for part in value.parts)


@each_loop
def check_choices(loop: Loop) -> Iterator[Finding]:
    """One element of another list, or with other weights, in each iteration."""
    if loop.is_while or loop.is_short:
        return
    for call in loop.calls(Trait.DRAWS_ELEMENT):
        given = [one.dependence(loop) for one in call.arguments]
        if call.loops[0] != loop or max(given, default=0) is not Dependence.VARYING:
            continue
        if call.in_role(ParameterRole.SHAPE) is None and _is_collected(call.result):
            yield rule.finding(
                call,
                f"`{call.name}` draws one element in every iteration of `{loop.header}`",
                "draw for all rows at once: with weights `(weights.cumsum(1) > uniform).argmax(1)`;"
                " from lists of unlike lengths `joined[starts + (uniform * lengths).astype(int)]`",
                framework=call.framework,
                estimate=0.005,
            )


def _is_collected(drawn: Value) -> bool:
    """Whether it is put into a list or an array, as it is or as a number."""
    for user in drawn.users:
        if user.kind in (Kind.SET_ITEM, Kind.COLLECT):
            return True
        call = user.call
        if call is not None and (call.has(Trait.KEEPS_ARGUMENT) or _is_number(call)):
            return call.has(Trait.KEEPS_ARGUMENT) or _is_collected(call.result)
    return False


def _is_number(call: Call) -> bool:
    return call.has(Trait.READS_NUMBERS) or call.result.python_type == "int"
