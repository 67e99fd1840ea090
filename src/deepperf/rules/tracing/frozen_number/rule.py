"""Compiled code reads a Python number that changes: it stays what it was while tracing."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_function
from deepperf.rules.tracing.frozen_number.numbers import Frozen, frozen
from deepperf.semantics.query import Compilation, Function

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.NOTE,
    frameworks=("tensorflow", "jax"),
)

_INSTEAD = {
    "tensorflow": "pass it as an argument, as a tensor; or keep it in a `tf.Variable` and `assign`"
    " the new value",
    "jax": "pass it as an argument: numbers that are not static become arrays, and nothing is"
    " compiled again",
}


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function or function.name == "__init__":
        return
    compiled = [one for one in function.compilations if not one.has(Trait.BREAKS_GRAPH)]
    told: set[str] = set()
    for found in frozen(function, compiled[0]) if compiled else ():
        if found.read.text not in told and not found.read.runs_eagerly:
            told.add(found.read.text)
            yield _finding(found, compiled[0])


def _finding(found: Frozen, compiled: Compilation) -> Finding:
    path = [call.step(f"`{call.name}` is called") for call in compiled.calls]
    if path:
        path.append(found.read.step(f"`{found.read.text}` is read while it is traced"))
    return rule.finding(
        found.read,
        f"`{found.read.text}` is a constant of what `{compiled.compiler}` compiles: that it changes"
        " afterwards has no effect, until something has it traced again",
        _INSTEAD[compiled.framework],
        path=tuple(path),
        framework=compiled.framework,
        related=(
            found.change.step(f"`{found.change.text}` changes it"),
            compiled.step(f"`{compiled.text}` compiles it"),
        ),
        estimate=0.05,
    )
