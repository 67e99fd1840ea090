"""Compiled code changes a Python object: that happens once, while it is traced."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_function
from deepperf.rules.tracing.traced_side_effect.effects import Effect, effects
from deepperf.semantics.query import Compilation, Function

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("memory-leak", "slow-execution"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "jax"),
)


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function or function.name == "__init__":
        return
    compiled = [one for one in function.compilations if not one.has(Trait.BREAKS_GRAPH)]
    if not compiled or any(call.is_conditional() for call in compiled[0].calls):
        return
    found = [one for one in effects(function, compiled[0]) if not one.at.runs_eagerly]
    if found:
        yield _finding(found, compiled[0])


def _finding(found: list[Effect], compiled: Compilation) -> Finding:
    first, *others = sorted(found, key=lambda one: (one.level is Level.NOTE, one.at.span))
    path = [call.step(f"`{call.name}` is called") for call in compiled.calls]
    if path:
        path.append(first.at.step(f"`{first.at.text}` runs while it is traced"))
    return rule.finding(
        first.at,
        f"`{compiled.compiler}` runs this line only while it traces: {first.says}",
        first.remedy,
        path=tuple(path),
        framework=compiled.framework,
        level=first.level,
        related=(
            *[one.at.step(one.says) for one in others],
            compiled.step(f"`{compiled.text}` compiles it"),
        ),
        estimate=0.05 if first.level is Level.WARNING else 0.005,
    )
