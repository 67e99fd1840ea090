"""Compiled code changes a Python object: that happens once, while it is traced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_function
from deepperf.semantics.query import Call, Compilation, Function, Kind, Value

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("memory-leak", "slow-execution"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "jax"),
)

_CHANGING = frozenset(("Add", "Sub", "Mult"))


class Effect(NamedTuple):
    """Where a traced function changes something of Python's, and what happens then."""

    at: Value | Call
    says: str


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function or function.name == "__init__":
        return
    compiled = [one for one in function.compilations if not one.has(Trait.BREAKS_GRAPH)]
    if not compiled or any(call.is_conditional() for call in compiled[0].calls):
        return
    effects = [one for one in _effects(function) if not one.at.runs_eagerly]
    if effects:
        yield _finding(effects, compiled[0])


def _effects(function: Function) -> Iterator[Effect]:
    for stored in function.values(Kind.SET_ATTRIBUTE):
        if _counts(stored) and not stored.conditions:
            name = f"{stored.operands[0].text}.{stored.data}"
            yield Effect(stored, f"`{name}` counts how often it is traced, not how often it runs")
    for call in function.calls():
        grown = _grown(call)
        if grown is not None and not call.conditions:
            says = f"`{grown.text}` gets a symbolic tensor once, while it is traced"
            yield Effect(call, says)


def _counts(stored: Value) -> bool:
    """Whether a number that an object has is counted up."""
    owner, value = stored.operands
    if value.kind is not Kind.BINARY or value.data.rstrip("=") not in _CHANGING:
        return False
    read = value.operands[0]
    is_same = read.kind is Kind.ATTRIBUTE and read.data == stored.data
    return is_same and read.operands[0] == owner and read.python_type in ("int", "float")


def _grown(call: Call) -> Value | None:
    """The list, kept by an object, to which a call adds what was computed."""
    receiver = call.receiver
    if not call.has(Trait.KEEPS_ARGUMENT) or receiver is None or not call.arguments:
        return None
    if receiver.kind is not Kind.ATTRIBUTE or receiver.python_type != "list":
        return None
    function = call.function
    # A list that is set anew in the same function is gone when the next trace begins.
    anew = {(one.data, one.operands[0]) for one in function.values(Kind.SET_ATTRIBUTE)}
    if (receiver.data, receiver.operands[0]) in anew:
        return None
    return receiver if call.arguments[-1].is_array else None


def _finding(effects: list[Effect], compiled: Compilation) -> Finding:
    first, *others = sorted(effects, key=lambda one: one.at.span)
    is_jax = compiled.framework == "jax"
    path = [call.step(f"`{call.name}` is called") for call in compiled.calls]
    if path:
        path.append(first.at.step(f"`{first.at.text}` runs while it is traced"))
    return rule.finding(
        first.at,
        f"`{compiled.compiler}` runs this line only while it traces: {first.says}",
        "return the new value from the compiled function, and keep it where that is called"
        if is_jax
        else "count in a `tf.Variable` (`assign_add`), or return the value and keep it outside",
        path=tuple(path),
        framework=compiled.framework,
        related=(
            *[one.at.step(one.says) for one in others],
            compiled.step(f"`{compiled.text}` compiles it"),
        ),
        estimate=0.05,
    )
