"""A pool of processes is started again in every iteration."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import Call, Cost, Dependence, Iteration, Kind, Loop, share

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.NOTE,
    frameworks=("numpy", "torch"),
)

_SKETCH = """\
with {made} as pool:  # once
    {header}:
        ...  # with `pool`, which what is called here is passed
"""


@each_loop
def check(loop: Loop) -> Iterator[Finding]:
    if loop.is_short or loop.is_comprehension or loop.runs_seldom:
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
                sketch=_SKETCH.format(made=made.source, header=loop.header),
                estimate=share(Cost.START_WORKERS, 1, Iteration.EPOCH),
            )


def _is_same(way: tuple[Call, ...], loop: Loop) -> bool:
    """Whether each iteration makes a pool, and one that is made before the loop would do."""
    *outer, made = way
    if any(one.is_conditional(loop) for one in way) or any(one.loops for one in way[1:]):
        return False
    if made.passes_unseen or _begins_with_data(made):
        return False
    if not outer:
        return all(one.dependence(loop) is Dependence.INVARIANT for one in made.arguments)
    return all(one.kind is not Kind.PARAMETER for one in made.arguments)


def _begins_with_data(pool: Call) -> bool:
    """Whether its processes are given something at their start, which may differ each time."""
    positional = len(pool.arguments) - len(pool.keywords)
    return positional > 1 or "initializer" in pool.keywords
