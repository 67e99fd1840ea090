"""Requests to another machine are sent one after another, each waiting for the answer before."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import Call, Dependence, Guard, Loop, Repeated

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.NOTE,
    frameworks=("numpy",),
)
_FEW = 8
_LONGEST = 4
_SKETCH = """\
def ask({target}):
    return {call}

with concurrent.futures.ThreadPoolExecutor(8) as pool:
    answers = list(pool.map(ask, {asked}))"""


@each_loop
def check(loop: Loop) -> Iterator[Finding]:
    if loop.is_while or loop.is_short or (loop.trip_count or 99) <= _FEW:
        return
    # A pause between requests says that more of them at once are not welcome; a coroutine has its
    # own ways.
    if loop.function.is_async or any(loop.calls(Trait.WAITS)) or loop.reaches(Trait.ASKS_PERSON):
        return
    if loop.function.runs_in_worker:
        return  # it is one of several loops that run at the same time
    for call in loop.calls():
        way = call.way_to(Trait.ASKS_NETWORK) if call.loops[0] == loop else ()
        if len(way) > _LONGEST or any(one.function.is_async for one in way):
            continue
        if way and _is_about_each(call, loop) and not _is_chosen(way, loop):
            asked = way[-1]
            yield rule.finding(
                call,
                f"`{asked.name}` waits for one answer after another, in each iteration of"
                f" `{loop.header}`",
                "have several under way: `with ThreadPoolExecutor(8) as pool:"
                " answers = list(pool.map(ask, questions))`, or a client for coroutines with"
                " `asyncio.gather`",
                path=tuple([one.step(f"`{one.name}` is called") for one in way[1:]]),
                related=() if loop.is_comprehension else (loop.step("the loop"),),
                framework="numpy",
                sketch=_sketch(call, loop),
                estimate=0.01,
            )
            return


def _sketch(call: Call, loop: Loop) -> str:
    target, _, asked = loop.header.removeprefix("for ").partition(" in ")
    if loop.is_comprehension or not target.isidentifier():
        return ""
    return _SKETCH.format(target=target, call=call.text, asked=asked)


def _is_about_each(call: Call, loop: Loop) -> bool:
    """Whether it asks something else each time, which rests on no answer before."""
    given = call.arguments
    if call.guard(loop) is not Guard.UNKNOWN or any(
        _is_extended(one.source, loop) for one in given
    ):
        return False
    found = max((one.dependence(loop) for one in given), default=Dependence.INVARIANT)
    return found is Dependence.VARYING


def _is_extended(name: str, loop: Loop) -> bool:
    """Whether a list, such as a conversation, gets longer in each iteration."""
    kept = (call.receiver for call in loop.calls(Trait.KEEPS_ARGUMENT))
    return any(one is not None and one.source == name for one in kept)


def _is_chosen(way: tuple[Call, ...], loop: Loop) -> bool:
    """Whether a helper asks only where what it is given says so, as of an address or a path."""
    each = Repeated(loop.function, loop)
    for call, inner in pairwise(way):
        each = each.inside(call, inner.function)
        if each.chooses(inner):
            return True
    return False
