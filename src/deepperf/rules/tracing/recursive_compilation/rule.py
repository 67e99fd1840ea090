"""A compiled function calls itself: each level is traced by itself, or written out in one graph."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_function
from deepperf.semantics.query import Call, Compilation, Function

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "program-hang"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "torch"),
)

_MOST = 8
"""Functions that are looked into for a call of the first."""

_INSTEAD = {
    "tensorflow": "go over `tf.range(…)` or use `tf.while_loop`; or take the decorator away, and"
    " compile what one level does",
    "torch": "write it as a loop, and compile what one iteration does",
}


@each_function
def check(function: Function) -> Iterator[Finding]:
    compiled = function.compiled_itself
    if compiled is None or compiled.framework not in _INSTEAD:
        return
    again = next((call for call in function.calls() if _comes_back(call, function)), None)
    if again is not None and not again.runs_eagerly:
        yield _finding(function, again, compiled)


def _comes_back(call: Call, function: Function) -> bool:
    """Whether what it runs calls a function again, by itself or through others."""
    pending, seen = [*call.runs], set[Function]()
    while pending and len(seen) < _MOST:
        one = pending.pop()
        if one == function:
            return True
        if one not in seen:
            seen.add(one)
            pending += [
                run for inner in one.calls() if not inner.runs_eagerly for run in inner.runs
            ]
    return False


def _finding(function: Function, again: Call, compiled: Compilation) -> Finding:
    framework = compiled.framework
    each = (
        "traces it again for each level"
        if compiled.has(Trait.TRACES_EACH_VALUE)
        else ("writes all levels out, for each depth again")
    )
    by = "" if function in again.runs else f" by `{again.name}`"
    return rule.finding(
        again,
        f"`{function.name}` calls itself{by}, and `{compiled.compiler}` {each}",
        _INSTEAD[framework],
        framework=framework,
        related=(compiled.step(f"`{compiled.text}` compiles it"),),
        estimate=0.05,
    )
