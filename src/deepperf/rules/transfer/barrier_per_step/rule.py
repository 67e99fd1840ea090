"""All work, or all processes, are waited for in every step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deepperf.fixes.statements import delete_statement
from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, Saves, each_function, each_loop
from deepperf.semantics.query import (
    Call,
    Cost,
    Function,
    Iteration,
    Kind,
    Loop,
    LoopKind,
    Value,
    Wait,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="inefficient-data-transmission",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch",),
    saves=Saves.WAITING,
)

_KINDS = (LoopKind.STEP, LoopKind.BATCH)
_SHOWS = (Trait.SYNCS_HOST, Trait.GIVES_HOST, Trait.PRINTS, Trait.LOGS_METRICS)
_WORK = (Trait.COMPUTES, Trait.RUNS_MODULE, Trait.BACKPROPAGATES, Trait.STEPS_OPTIMIZER)
_BARRIER = (
    "take it out: operations on the device and collectives keep their order by themselves;"
    " wait only before reading a clock or a file that another process writes"
)
_LOGGED = "keep the value on each device, and reduce it only on the steps that log"


@each_loop
def check_loop(loop: Loop) -> Iterator[Finding]:
    if loop.kind in _KINDS:
        direct = [call for call in loop.calls() if call.loops[0] == loop]
        yield from _findings(direct, loop, loop.waits)


@each_function
def check_step_function(function: Function) -> Iterator[Finding]:
    """What a framework calls once per step is the body of a loop that the framework has."""
    if Trait.RUNS_EACH_STEP in function.traits and not function.callers():
        direct = [call for call in function.calls() if not call.loops]
        yield from _findings(direct, None, function.waits)


def _findings(calls: list[Call], loop: Loop | None, waits: tuple[Wait, ...]) -> Iterator[Finding]:
    barriers = [
        way
        for call in calls
        if (way := _always(call, loop, Trait.WAITS_FOR_ALL)) and not _is_beside_save(call, calls)
    ]
    if barriers and not any(call.way_to(Trait.TELLS_TIME) for call in calls):
        way, *others = barriers
        estimate = share(Cost.BARRIER, 1, Iteration.STEP)
        yield _finding(
            way,
            f"`{way[-1].name}` waits for everything in each step",
            _BARRIER,
            estimate,
            level_of(estimate) if _costs(loop, waits) else Level.NOTE,
            [other[0] for other in others],
            _fix(way[0]) if len(way) == 1 else None,
        )
    if loop is None or loop.kind is LoopKind.STEP:
        reduced = [call for call in calls if _is_logged(call, loop)]
        if reduced:
            yield _finding(
                (reduced[0],),
                f"`{reduced[0].name}` exchanges in each step what is only logged",
                _LOGGED,
                estimate := share(Cost.BARRIER, 0.5, Iteration.STEP),
                level_of(estimate),
                reduced[1:],
            )


def _costs(loop: Loop | None, waits: tuple[Wait, ...]) -> bool:
    """Whether a step that learns would not wait but for the barrier: reading a loss waits, too."""
    reads = any(wait.is_explicit and wait.at.users for wait in waits)
    return not reads and (loop is None or _trains(loop))


def _trains(loop: Loop) -> bool:
    """Whether it is seen to learn from data: what does neither may measure, capture or evaluate."""
    goes_over_data = loop.element is not None and bool(loop.element.readers)
    return loop.kind is LoopKind.STEP and (
        goes_over_data or bool(loop.reaches(Trait.STEPS_OPTIMIZER))
    )


def _fix(barrier: Call) -> Fix | None:
    edit = delete_statement(barrier.file_text, *barrier.span)
    return Fix("take out the wait", (edit,), Safety.UNSAFE) if edit is not None else None


def _is_beside_save(barrier: Call, calls: list[Call]) -> bool:
    """Whether a file is written before or behind it, with no work for the device between."""
    place = calls.index(barrier)
    for side in (calls[place + 1 :], reversed(calls[:place])):
        for call in side:
            if call.way_to(Trait.SAVES):
                return True
            if call.way_to(*_WORK):
                break
    return False


def _always(call: Call, loop: Loop | None, trait: Trait) -> tuple[Call, ...]:
    """The calls that reach a trait in each iteration, under no condition on the way."""
    way = call.way_to(trait)
    if not way or call.is_conditional(loop) or call.guard(loop).is_rare:
        return ()
    if not all(one.surely_reaches(trait) for one in way):
        return ()  # one of several overrides does
    rare = any(inner.loops or inner.is_conditional() or inner.guard().is_rare for inner in way[1:])
    timed = any(any(inner.function.calls(Trait.TELLS_TIME, Trait.SAVES)) for inner in way[1:])
    return () if rare or timed else way


def _is_logged(call: Call, loop: Loop | None) -> bool:
    """Whether what it exchanges goes only where people, or files, see it."""
    if not call.has(Trait.COMMUNICATES) or call.is_conditional(loop) or call.guard(loop).is_rare:
        return False
    arguments = call.arguments[:1]
    values = [call.result] if call.result.users else list(arguments)
    ends = list(_ends(values, call))
    return bool(ends) and all(end.call is not None and end.call.has(*_SHOWS) for end in ends)


def _ends(values: Iterable[Value], exchange: Call) -> Iterator[Value]:
    """The operations of the function in which what is made of some values ends."""
    pending, seen = list(values), {exchange.result}
    while pending:
        for user in pending.pop().users:
            if user in seen:
                continue
            seen.add(user)
            shows = user.call is not None and user.call.has(*_SHOWS)
            if shows or user.kind is Kind.RETURN or not (user.users or user.kind is Kind.CYCLE):
                yield user
            else:
                pending.append(user)


def _finding(
    way: tuple[Call, ...],
    message: str,
    remedy: str,
    estimate: float,
    level: Level | None,
    others: list[Call],
    fix: Fix | None = None,
) -> Finding:
    return rule.finding(
        way[0],
        message,
        remedy,
        path=tuple([call.step(f"`{call.name}` is called") for call in way[1:]]),
        fix=fix,
        level=level,
        related=tuple([call.step(f"`{call.name}`, too") for call in others]),
        estimate=estimate,
    )
