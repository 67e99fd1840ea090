"""A dataset maps or interleaves its elements on one core."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword, replace_argument
from deepperf.fixes.imports import Spelling, spell
from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, Saves, on_call
from deepperf.semantics.view import Call, Effect, Expression, Workload

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution", "abnormal-cpu-utilization"),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow",),
    saves=Saves.WAITING,
)
FEW = 1000
KEEPS_RESULTS = frozenset((Effect.READS_FILE,))


@on_call(Trait.MAPS_ELEMENTS)
def check(call: Call) -> Iterator[Finding]:
    fact, function = call.fact, call.argument(ParameterRole.FUNCTION)
    if fact is None or function is None or call.unpacks:
        return
    parallelism = call.takes(ParameterRole.PARALLELISM)
    if parallelism is None:
        return
    workers = call.argument(ParameterRole.PARALLELISM)
    told = None if workers is None or workers.is_left_none else workers
    # A map that is told to be serial, TensorFlow leaves as it is.
    if told is not None and (told.literal != 1 or call.takes(ParameterRole.CYCLE_LENGTH)):
        return
    cycle = call.argument(ParameterRole.CYCLE_LENGTH)
    if cycle is not None and cycle.literal == 1:
        return  # one input after the other was asked for
    if call.function is not None and call.function.is_interleaved:
        return  # the inputs of an interleaving go side by side once that is parallel
    if function.workload is Workload.NOTHING:
        return  # costs less than handing it to another thread
    if (size := call.dataset_size) is not None and size <= FEW:
        return
    is_little = _is_little(call, function)
    if is_little and (told is not None or call.is_made_of_few(FEW)):
        return
    # Workers pay where each element is read or decoded; readers called little else worth it.
    is_worth = function.workload is Workload.FILES and not is_little
    level = Level.WARNING if is_worth else Level.NOTE
    state = function.stateful_parts()
    reason = ""
    if told is None and fact.parallel_since:
        reason = call.file.why_older(fact.framework, fact.parallel_since)
    if told is None and _stateless_is_parallel(call, fact):
        reason = call.file.may_be_older(fact.framework, fact.parallel_since)
        if not state and (
            not reason or call.file.sets_option(Trait.PARALLELIZES_MAPS, call, usual=False)
        ):
            return
        if state:
            first = state[0].call.called if state[0].call else state[0].quoted
            reason = f": `{first}` is stateful, so TensorFlow does not parallelize it by itself"
        else:
            level = Level.NOTE
    spelling = _autotune(call)
    given = f"={spelling.text}`" if spelling else "` as many as there are cores"
    yield rule.finding(
        call,
        f"`{call.called}` runs {function.callable_name} on one element at a time{reason}",
        f"pass `{parallelism}{given}; the elements keep their order",
        fix=_fix(call, function, parallelism, spelling),
        level=level,
    )


def _is_little(call: Call, function: Expression) -> bool:
    """Whether it hardly pays: a pass or two take little longer than handing an element on.

    Nothing waits for elements that are looked at, and Python runs on one core. What is interleaved
    and maps in parallel itself is only read one by one.
    """
    is_reading = call.takes(ParameterRole.CYCLE_LENGTH) and function.maps_side_by_side
    return is_reading or call.is_shown or function.workload < Workload.MUCH


def _stateless_is_parallel(call: Call, fact: Fact) -> bool:
    """Whether TensorFlow, or an option set for the dataset, makes maps without state parallel."""
    return bool(fact.parallel_since) and (
        call.file.reaches(fact.framework, fact.parallel_since)
        or call.file.sets_option(Trait.PARALLELIZES_MAPS, call, usual=False)
    )


def _autotune(call: Call) -> Spelling | None:
    names = call.file.names_with(Trait.TUNES_PARALLELISM)
    return spell(call.file.text, *names, alias="tf") if names else None


def _fix(
    call: Call, function: Expression, parallelism: str, spelling: Spelling | None
) -> Fix | None:
    if spelling is None:
        return None
    text = call.file.text
    if call.argument(ParameterRole.PARALLELISM) is None:
        edit = add_keyword(text, *call.span, parallelism, spelling.text)
    else:
        edit = replace_argument(text, *call.span, parallelism, spelling.text)
    if edit is None:
        return None
    # Stateful calls side by side draw random numbers, and print, in another order.
    is_safe = not function.stateful_parts() and function.effects <= KEEPS_RESULTS
    # Threads make use of it where a dataset is told that its order does not matter.
    is_safe = is_safe and not call.file.sets_option(Trait.KEEPS_ORDER, call, usual=True)
    # An interleaving takes its width, and so its order, from the parallelism, unless it is told a
    # number: one that is left to tuning is another once there are threads.
    if call.takes(ParameterRole.CYCLE_LENGTH):
        cycle = call.argument(ParameterRole.CYCLE_LENGTH)
        is_safe = is_safe and cycle is not None and _is_count(cycle.literal)
    safety = Safety.SAFE if is_safe else Safety.UNSAFE
    return Fix(f"pass {parallelism}={spelling.text}", (edit, *spelling.edits), safety)


def _is_count(literal: object) -> bool:
    return isinstance(literal, int) and literal > 0
