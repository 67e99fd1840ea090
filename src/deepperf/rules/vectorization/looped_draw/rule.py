"""Random numbers are drawn one at a time in a loop that only collects them."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop, on_call
from deepperf.semantics.query import Call as LoopCall
from deepperf.semantics.query import Dependence, Kind, Loop, Value
from deepperf.semantics.view import Call, numbers_by
from deepperf.semantics.view.drawing import (
    callers_that_draw,
    draws_number,
    draws_one,
    draws_short_row,
    is_joined_from,
    loop_that_collects,
    map_that_draws,
    numbers_drawn,
)

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow", "torch", "jax", "numpy"),
)
BESIDE = 4
"""Operations beside which a draw is little."""
MANY = 100_000
"""Numbers for which NumPy, asked one by one, takes a tenth of a second or more."""


@on_call(Trait.DRAWS)
def check(call: Call) -> Iterator[Finding]:
    if call.unpacks or call.runs_natively:
        return
    if not draws_one(call):
        yield from _rows(call)
        return
    where = _in_loop(call) or _in_map(call)
    if where:
        yield _finding(call, call, where)
        return
    for caller in callers_that_draw(call):
        where = _in_loop(caller)
        if where:
            yield _finding(caller, call, where)


def _rows(call: Call) -> Iterator[Finding]:
    """Short rows, where starting an operation takes longer than drawing one."""
    is_costly = call.framework in ("tensorflow", "jax")
    if is_costly and call.loops and draws_short_row(call) and is_joined_from(call, call.loops[-1]):
        where = _in_loop(call)
        if where:
            yield _finding(call, call, where)


def _finding(place: Call, draw: Call, where: str) -> Finding:
    fact = draw.fact
    assert fact is not None
    what = "a short row of numbers"
    if draws_one(draw):
        what = "a single number" if draws_number(draw) else "one sample"
    return rule.finding(
        place,
        f"`{place.called}` draws {what} {where}",
        fact.batched_form.format(op=f"`{draw.called}`"),
        framework=fact.framework,
        level=_level(place, fact.framework),
    )


def _in_loop(call: Call) -> str:
    """The words for the loop that collects what it draws; "" where there is none."""
    loop = loop_that_collects(call)
    return f"in every iteration of `{loop.header}`" if loop is not None else ""


def _in_map(call: Call) -> str:
    """The words for the map that draws by slices; "" where there is none."""
    mapping = map_that_draws(call)
    return f"for each slice that `{mapping.called}` passes" if mapping is not None else ""


def _is_one_of_many(call: Call) -> bool:
    """Whether the function that draws runs many operations besides."""
    function = call.function
    return function is not None and (
        sum(other.has(Trait.ADDS_NODE) for other in function.calls) > BESIDE
    )


def _level(call: Call, framework: str) -> Level:
    """A note, unless the text shows that it adds up: single numbers of NumPy are soon drawn."""
    if framework == "numpy":
        return rule.level if (numbers_drawn(call) or 0) >= MANY else Level.NOTE
    # A map that does much else for each slice is about that.
    if not call.loops and _is_one_of_many(call):
        return Level.NOTE
    adds_up = all(loop.adds_up(numbers_by(framework)) for loop in call.loops[-1:])
    return rule.level if adds_up else Level.NOTE


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
                level=Level.NOTE,
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


def _is_number(call: LoopCall) -> bool:
    return call.has(Trait.READS_NUMBERS) or call.result.python_type == "int"
