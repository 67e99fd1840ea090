"""Compiled code asks for a tensor's value or prints: the compiler splits it there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_function
from deepperf.semantics.query import Call, Compilation, Function, Kind, Value

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch",),
)

_CAPTURES_NUMBERS = "capture_scalar_outputs"
"""The option of the compiler by which numbers that are read stay in the graph."""
_NUMBERS = ("builtins.float", "builtins.int", "builtins.bool")


class Break(NamedTuple):
    """Where the compiler splits its graph, why, and what to write instead."""

    at: Value | Call
    reason: str
    remedy: str


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function:
        return
    compiled = [one for one in function.compilations if one.has(Trait.BREAKS_GRAPH)]
    # With `fullgraph=True` the compiler itself says where it would have to.
    if not compiled or any(_is_whole(one) for one in compiled):
        return
    breaks = [one for one in _breaks(function) if not one.at.runs_eagerly and _is_run(one.at)]
    if breaks:
        yield _finding(function, breaks, compiled[0])


def _is_whole(compilation: Compilation) -> bool:
    given = compilation.option(ParameterRole.WHOLE)
    return given is not None and given.constant is not False


def _is_run(at: Value | Call) -> bool:
    return "seldom" not in at.runs_for


def _breaks(function: Function) -> Iterator[Break]:
    captured = function.file.project_mentions(_CAPTURES_NUMBERS)
    for call in function.calls():
        found = _at_call(call, captured)
        if found is not None:
            yield found
    for test in function.values(Kind.TEST):
        asked = None if test.data in ("match", "assert") else _asked(test.operands[0])
        if asked is not None:
            yield Break(
                asked,
                "Python's `if` or `while` needs the value of a tensor",
                "choose with `torch.where`, or with `torch.cond` where a branch is costly",
            )


def _at_call(call: Call, captured: object) -> Break | None:
    if call.has(Trait.READS_NUMBERS) and call.receiver is not None and _is_tensor(call.receiver):
        name = call.callee.data
        return None if captured else Break(call, f"`.{name}()` reads a tensor's value", _KEEP)
    if call.is_of(*_NUMBERS) and len(call.arguments) == 1 and call.arguments[0].is_array:
        return None if captured else Break(call, "it reads a tensor's value", _KEEP)
    is_printed = call.has(Trait.PRINTS) and all(f.framework == "python" for f in call.facts)
    # What stands in an `if` on sizes or options is left out where that does not hold.
    if is_printed and (not call.is_conditional() or any(map(_is_data, call.conditions))):
        return Break(call, "printing and logging are not compiled", _BEHIND)
    return None


_KEEP = "keep it a tensor: compute with it, and read it outside of what is compiled"
_BEHIND = (
    "print outside of what is compiled, or only where `torch.compiler.is_compiling()` is false"
)


def _is_data(value: Value) -> bool:
    """Whether a condition rests on what a tensor holds."""
    if value.call is not None:
        return value.call.has(Trait.READS_NUMBERS)
    return value.is_array is True or any(map(_is_data, value.operands))


def _is_tensor(value: Value) -> bool:
    return value.is_array is not False


def _asked(value: Value) -> Value | None:
    """The tensor whose truth a condition takes."""
    if value.kind is Kind.LOGIC or (value.kind is Kind.UNARY and value.data == "Not"):
        return next((found for one in value.operands if (found := _asked(one))), None)
    return value if value.is_array else None


def _finding(function: Function, breaks: list[Break], compiled: Compilation) -> Finding:
    first, *others = sorted(breaks, key=lambda one: one.at.span)
    path = [call.step(f"`{call.name}` is called") for call in compiled.calls]
    if path:
        path.append(first.at.step(f"`{first.at.text}` breaks the graph"))
    count = f" at {len(breaks)} places" if others else ""
    return rule.finding(
        first.at,
        f"`{compiled.compiler}` breaks the graph of `{function.name}`{count}: `{first.at.text}`,"
        f" {first.reason}",
        first.remedy,
        path=tuple(path),
        framework="torch",
        related=(
            *[one.at.step(f"`{one.at.text}`: {one.reason}") for one in others],
            compiled.step(f"`{compiled.text}` compiles it"),
        ),
        estimate=0.05,
    )
