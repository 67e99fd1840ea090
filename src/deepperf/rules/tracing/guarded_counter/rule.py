"""A module keeps a Python number or list that changes, and each new value compiles it again."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.guard_rails import says_recompilations
from deepperf.rules.rule import Rule, each_function
from deepperf.rules.tracing.guarded_counter.changes import (
    LIMIT,
    Change,
    counted_for_all,
    made_inside,
    set_outside,
)
from deepperf.semantics.query import Compilation, Cost, Function, Iteration, share

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "memory-leak"),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch",),
)


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function or function.name == "__init__":
        return
    for change, compiled, reader in (*set_outside(function), *counted_for_all(function)):
        yield _finding(change, compiled, reader)
    compilations = [one for one in function.compilations if one.has(Trait.BREAKS_GRAPH)]
    told: set[str] = set()
    for change in made_inside(function) if compilations else ():
        at = change.at
        if change.name in told or at.runs_eagerly or at.runs_seldom:
            continue
        told.add(change.name)
        yield _finding(change, compilations[0], function)


def _finding(change: Change, compiled: Compilation, function: Function) -> Finding:
    at = change.at
    path = [call.step(f"`{call.name}` is called") for call in compiled.calls]
    if path:
        path.append(at.step(f"`{at.text}` changes what the compiled code is guarded by"))
    return rule.finding(
        at,
        f"{change.says}: `{compiled.compiler}` compiles `{function.name}`"
        f" again for each new value, and runs it uncompiled after {LIMIT} of them",
        change.remedy + says_recompilations(function.file, "torch", function.name),
        path=tuple(path),
        framework="torch",
        related=(compiled.step(f"`{compiled.text}` compiles it"),),
        estimate=share(Cost.COMPILE, LIMIT, Iteration.RUN),
    )
