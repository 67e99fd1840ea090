"""A framework operation is computed in each turn of a loop from operands that stay the same."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_loop
from deepperf.semantics.view import Loop, LoopOver, Pace, RepeatedWork

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "torch", "jax", "numpy"),
)
MAKING = frozenset((Trait.CREATES_LAYER, Trait.CREATES_VARIABLE))
SHORT = 1000
"""Elements that are worked through in microseconds."""
FEW = 32
"""Turns in which NumPy does little, where nothing repeats the loop."""
SMALL = 1 / 8
"""The part of a turn below which an operation is little beside the others."""
COPYING = (Trait.CREATES_ARRAY, Trait.ARRANGES, Trait.JOINS)


@on_loop
def repeated_operation(loop: Loop) -> Iterator[Finding]:
    # What a test repeats, it repeats to look at it.
    if loop.file.role is Role.TEST:
        return
    for work in loop.repeated_work():
        if _is_quiet(loop, work):
            continue
        yield rule.finding(
            work.call,
            _message(work),
            _remedy(work),
            work.steps(),
            framework=work.operation.framework,
            level=_level(work),
        )


def _level(work: RepeatedWork) -> Level:
    """How much the work is worth, as far as the text tells: sizes and turns are unknown."""
    loop, operation = work.loop, work.operation
    is_seldom = all(around.pace is Pace.SELDOM for around in work.call.loops)
    if is_seldom or (work.most_elements or SHORT) < SHORT:
        return Level.NOTE
    # The parts of something are few, and so are, mostly, the objects of a short listing.
    if loop.over is LoopOver.PARTS or (loop.is_comprehension and loop.over is LoopOver.ITEMS):
        return Level.NOTE
    # One pass over one array in a loop that nothing repeats.
    is_one_pass = operation.has(Trait.ELEMENTWISE) and not operation.has(Trait.COSTLY)
    if is_one_pass and (work.is_light if work.is_inside else not loop.outer):
        return Level.NOTE
    # Beside a model or a session a pass over one array is little.
    is_light = is_one_pass or any(operation.has(trait) for trait in COPYING)
    if is_light and not work.is_inside and loop.asks_or_trains:
        return Level.NOTE
    is_beside = is_one_pass and not work.is_inside and loop.runs_module
    return Level.NOTE if is_beside or _is_small_part(work) else rule.level


def _is_small_part(work: RepeatedWork) -> bool:
    """Whether the turn does far more: it draws, or has a loop of its own that computes."""
    loop = work.loop
    # What frameworks do waits for dispatch, whatever it is; NumPy's time is that of the work.
    if loop.draws or (work.operation.framework == "numpy" and work.share < SMALL):
        return True
    is_once = loop.trips is not None and loop.trips < FEW and not loop.outer
    if is_once and work.operation.framework == "numpy":
        return True
    if work.operation.has(Trait.COSTLY):
        return False
    if work.call.loops[-1:] == (loop,) and loop.computes_in_loops:
        return True
    return work.operation.framework == "numpy" and loop.runs_steps


def _is_quiet(loop: Loop, work: RepeatedWork) -> bool:
    # While a function is traced its loops unroll, once, and compilers merge equal operations.
    if work.is_unrolled or loop.waits or work.operation.runs_natively:
        return True
    # In graph mode, and under tracers that we do not see, the same holds.
    if not work.is_run_each_turn:
        return True
    # A loop that makes layers runs as often as the model has layers.
    return bool(loop.reached_calls(MAKING))


def _message(work: RepeatedWork) -> str:
    header = work.loop.header
    if work.is_inside:
        return (
            f"`{work.call.called}` computes `{work.operation.called}` anew in each turn of "
            f"`{header}`, from operands that stay the same"
        )
    return (
        f"`{work.call.called}` is computed anew in each turn of `{header}`, "
        "from operands that stay the same"
    )


def _remedy(work: RepeatedWork) -> str:
    if work.is_inside:
        return (
            f"compute `{work.operation.text}` once, before the loop or where the object is made, "
            "and hand the result on"
        )
    return f"compute `{work.call.text}` once before the loop, and use the result in it"
