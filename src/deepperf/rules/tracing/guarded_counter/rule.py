"""A module counts its calls in a Python integer, and each new value compiles it again."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_function
from deepperf.semantics.query import (
    Compilation,
    Cost,
    Function,
    Iteration,
    Kind,
    Value,
    share,
)

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "memory-leak"),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch",),
)

LIMIT = 8
"""Compilations of one function after which `torch.compile` runs it uncompiled."""
_CHANGING = frozenset(("Add", "Sub", "Mult", "FloorDiv"))


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function or function.name == "__init__":
        return
    compiled = [one for one in function.compilations if one.has(Trait.BREAKS_GRAPH)]
    if not compiled:
        return
    told: set[str] = set()
    for changed in _changed(function):
        if changed.data not in told:
            told.add(changed.data)
            yield _finding(changed, compiled[0])


def _changed(function: Function) -> Iterator[Value]:
    """Where it sets an integer of a module to a new value in each call."""
    for stored in function.values(Kind.SET_ATTRIBUTE):
        module, value = stored.operands
        if value.kind is not Kind.BINARY or value.data.rstrip("=") not in _CHANGING:
            continue
        old = next((one for one in value.operands if _is_read_of(one, module, stored.data)), None)
        if old is None or old.python_type != "int" or Trait.RUNS_MODULE not in module.call_traits:
            continue
        if not stored.runs_eagerly and "seldom" not in stored.runs_for:
            yield stored


def _is_read_of(value: Value, module: Value, name: str) -> bool:
    return value.kind is Kind.ATTRIBUTE and value.data == name and value.operands[0] == module


def _finding(changed: Value, compiled: Compilation) -> Finding:
    calls = compiled.calls
    path = [call.step(f"`{call.name}` is called") for call in calls]
    if path:
        path.append(changed.step(f"`{changed.text}` changes what the compiled code is guarded by"))
    name = f"{changed.operands[0].text}.{changed.data}"
    return rule.finding(
        changed,
        f"`{name}` is a Python integer: `{compiled.compiler}` compiles `{changed.function.name}`"
        f" again for each new value, and after {LIMIT} runs it uncompiled",
        f"keep the count in a buffer: `self.register_buffer({changed.data!r}, torch.zeros((),"
        f" dtype=torch.long))`, `{name}.add_(1)`; or count outside of what is compiled",
        path=tuple(path),
        framework="torch",
        related=(compiled.step(f"`{compiled.text}` compiles it"),),
        estimate=share(Cost.COMPILE, LIMIT, Iteration.RUN),
    )
