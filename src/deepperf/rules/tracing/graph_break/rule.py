"""Compiled code asks for a tensor's value or prints: the compiler splits it there."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.guard_rails import says_breaks
from deepperf.rules.rule import Rule, each_function
from deepperf.rules.tracing.graph_break.breaks import Break, breaks, is_optional
from deepperf.rules.tracing.graph_break.mending import fix
from deepperf.rules.tracing.graph_break.rails import guarded
from deepperf.semantics.query import Call, Compilation, Function, Value

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch",),
)


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function:
        return
    compiled = [one for one in function.compilations if one.has(Trait.BREAKS_GRAPH)]
    # With `fullgraph=True` the compiler itself says where it would have to.
    if not compiled or any(_is_whole(one) for one in compiled):
        return
    found = [one for one in breaks(function) if not one.at.runs_eagerly and _is_run(one.at)]
    if found:
        yield _finding(function, found, compiled[0])


def _is_whole(compilation: Compilation) -> bool:
    given = compilation.option(ParameterRole.WHOLE)
    return given is not None and given.constant is not False


def _is_run(at: Value | Call) -> bool:
    return not at.runs_seldom


def _finding(function: Function, found: list[Break], compiled: Compilation) -> Finding:
    first, *others = sorted(found, key=lambda one: (one.costs_little, one.at.span))
    stays = any(one.stays for one in found)
    is_little = stays or first.costs_little or any(map(is_optional, compiled.calls))
    path = [call.step(f"`{call.name}` is called") for call in compiled.calls]
    if path:
        path.append(first.at.step(f"`{first.at.text}` breaks the graph"))
    mended = fix(function, found)
    count = f" at {len(found)} places" if others else ""
    return rule.finding(
        first.at,
        f"`{compiled.compiler}` breaks the graph of `{function.name}`{count}: `{first.at.text}`,"
        f" {first.reason}",
        first.remedy + says_breaks(),
        path=tuple(path),
        fix=mended,
        guarded=guarded(function, found, mended) if mended is not None else None,
        framework="torch",
        level=Level.NOTE if is_little else Level.WARNING,
        related=(
            *[one.at.step(f"`{one.at.text}`: {one.reason}") for one in others],
            compiled.step(f"`{compiled.text}` compiles it"),
        ),
        estimate=0.005 if is_little else 0.05,
    )
