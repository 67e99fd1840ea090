"""A request handler on the event loop runs what takes long, so that all other requests wait."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import pass_to
from deepperf.fixes.imports import spell
from deepperf.knowledge.schema import Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, Saves, each_function
from deepperf.semantics.query import (
    Call,
    Cost,
    Function,
    Iteration,
    Kind,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution", "program-hang"),
    stage="prediction",
    level=Level.WARNING,
    frameworks=("torch", "transformers"),
    saves=Saves.WAITING,
)

_BLOCKING = {
    Trait.GIVES_MODEL: "loads a model",
    Trait.GENERATES: "generates with a model",
    Trait.INFERS: "runs a model",
    Trait.RUNS_MODULE: "runs a model",
    Trait.ASKS_NETWORK: "waits for another machine",
    Trait.WAITS: "sleeps",
}
_LONG = (Trait.GENERATES, Trait.INFERS)
_NEAR = 2


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_async or not _serves(function):
        return
    found = [(call, *reached) for call in function.calls() if (reached := _way(call))]
    if found:
        # What takes longest is told first.
        ranks = list(_BLOCKING)
        (at, trait, way), *others = sorted(found, key=lambda one: ranks.index(one[1]))
        estimate = share(Cost.REQUEST, 1.0, Iteration.REQUEST)
        yield rule.finding(
            at,
            f"`{way[-1].name}` {_BLOCKING[trait]} on the event loop: all other requests wait until"
            f" `{function.name}` goes on",
            "`await asyncio.to_thread(…)` what takes long, or, with FastAPI or Starlette, declare"
            " the handler with `def`, so that it runs in a thread",
            path=tuple([call.step(f"`{call.name}` is called") for call in way[:-1]]),
            fix=_fix([call for call, _, _ in found]),
            framework="transformers" if at.framework == "transformers" else "torch",
            level=Level.NOTE if _is_far(trait, way) else level_of(estimate),
            related=tuple([call.step(f"`{call.name}` blocks, too") for call, _, _ in others]),
            estimate=estimate,
        )


def _fix(calls: list[Call]) -> Fix | None:
    """A thread for each call, where nothing that holds for one thread alone is around it."""
    edits: list[Edit] = []
    for call in calls:
        text, (start, end) = call.file_text, call.span
        spelling = spell(text, "asyncio.to_thread")
        is_apart = call.contexts or call.loops or any(call.file.calls(Trait.SWITCHES_GRADIENT))
        if is_apart or spelling is None:
            return None
        # An await binds less than what may stand behind a call.
        opening, closing = ("(", ")") if text[end : end + 1] in (".", "[", "(") else ("", "")
        passed = pass_to(text, start, end, f"{opening}await {spelling.text}")
        if passed is None:
            return None
        edits += [*passed, Edit(end, end, closing), *spelling.edits]
    made = dict.fromkeys(edit for edit in edits if edit.text or edit.end > edit.start)
    return Fix("run it in a thread", tuple(made), Safety.UNSAFE)


def _serves(function: Function) -> bool:
    """Whether it answers requests: it is registered for that, or a coroutine that is awaits it."""
    around = _awaited_by(function)
    if any(one.is_decorated(Trait.HANDLES_REQUEST) for one in around):
        return True
    return any(call.has(Trait.HANDLES_REQUEST) for one in around for call in one.callers())


def _awaited_by(function: Function) -> tuple[Function, ...]:
    """A coroutine and those that come to it, or to a method of its name of something unknown."""
    found = [function]
    for one in found:
        around = (call.function for call in (*one.callers(), *one.callers_by_name))
        found += [other for other in around if other.is_async and other not in found]
    return tuple(found)


def _way(call: Call) -> tuple[Trait, tuple[Call, ...]] | None:
    """How a call comes to what takes long, unless that is done once or handed to a thread."""
    if any(one.is_async for one in call.runs):
        return None  # a coroutine is looked at by itself
    awaited = any(user.kind is Kind.AWAIT for user in call.result.users)
    for trait in _BLOCKING:
        way = call.way_to(trait)
        if way and not any(_is_done_once(one) for one in way) and not (awaited and len(way) == 1):
            return trait, way
    return None


@each_function
def check_streams(function: Function) -> Iterator[Finding]:
    """Loops over what a thread makes, one text after another."""
    for loop in function.loops():
        if Trait.WAITS_FOR_NEXT not in loop.iterable.class_traits:
            continue
        users: tuple[Call, ...] = ()
        if not function.is_async and function.is_generator:
            users = tuple([call for call in function.callers() if _goes_over(call)])
        if users or (function.is_async and _serves(function)):
            estimate = share(Cost.REQUEST, 1.0, Iteration.REQUEST)
            yield rule.finding(
                loop,
                f"`{loop.header}` waits for each text on the event loop: all other requests wait"
                " until it is there",
                "take texts from `AsyncTextIteratorStreamer` with `async for`, or go over them with"
                " `starlette.concurrency.iterate_in_threadpool`",
                framework="transformers",
                level=level_of(estimate),
                related=tuple([call.step("a coroutine goes over it") for call in users]),
                estimate=estimate,
            )


def _goes_over(call: Call) -> bool:
    """Whether a coroutine that answers requests goes over what a call gives."""
    is_source = any(loop.iterable == call.result for loop in call.function.loops())
    return is_source and call.function.is_async and _serves(call.function)


def _is_far(trait: Trait, way: tuple[Call, ...]) -> bool:
    """Whether helpers of helpers may do it, and it may be small: no long run of a model."""
    return trait not in _LONG and len(way) > _NEAR


def _is_done_once(call: Call) -> bool:
    """Whether a guard, or a cache around what it runs, lets it run for the first request alone."""
    return call.guard().is_rare or any(one.is_decorated(Trait.MEMOIZES) for one in call.runs)
