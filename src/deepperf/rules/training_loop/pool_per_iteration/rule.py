"""A pool of processes is started again in every iteration."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import Call, Cost, Dependence, Iteration, Loop, share

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.NOTE,
    frameworks=("numpy", "torch"),
)


@each_loop
def check(loop: Loop) -> Iterator[Finding]:
    if loop.is_short or loop.is_comprehension or "seldom" in loop.runs_for:
        return
    for call in loop.calls():
        way = call.way_to(Trait.STARTS_POOL)
        if way and call.long_loop == loop and _is_same(way, loop):
            made = way[-1]
            yield rule.finding(
                call,
                f"`{made.name}` starts its processes again in every iteration of `{loop.header}`",
                "make one pool before the loop, and hand it to what needs it",
                path=tuple([one.step(f"`{one.name}` is called") for one in way[1:]]),
                estimate=share(Cost.START_WORKERS, 1, Iteration.EPOCH),
            )


def _is_same(way: tuple[Call, ...], loop: Loop) -> bool:
    """Whether each iteration needs a pool, and one made before the loop would do.

    What processes are given at their start may differ each time, by arguments or by what a
    forked process finds in memory, so that what is passed must not come from the loop.
    """
    if any(one.is_conditional(loop) for one in way) or any(one.loops for one in way[1:]):
        return False
    given = (*way[0].arguments, *way[-1].arguments)
    if any(one.passes_unseen for one in way) or way[-1].argument("initializer") is not None:
        return False
    if len(way) == 1:
        return all(one.dependence(loop) is Dependence.INVARIANT for one in given)
    return not any(one.loops for one in way[1:])
