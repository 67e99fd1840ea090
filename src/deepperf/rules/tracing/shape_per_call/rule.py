"""Each call passes an array of another shape, and each shape is compiled by itself."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.relaxing import relaxed
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_file
from deepperf.rules.tracing.shape_per_call.shapes import Shape, shape_of
from deepperf.semantics.query import (
    Call,
    Compilation,
    Cost,
    File,
    Iteration,
    Loop,
    Value,
    share,
)

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "memory-leak"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "jax", "torch"),
)

_REMEDIES = {
    "tensorflow": "set `reduce_retracing=True`, or an `input_signature` with `None` for that axis",
    "jax": "pass arrays of one length (pad them, and mask what was added), or of a few lengths",
    "torch": "leave `dynamic` out: the second shape then compiles for all; or mark the axis with"
    " `torch._dynamo.mark_dynamic`",
}


@each_file
def check(file: File) -> Iterator[Finding]:
    if file.is_in_compiling_project or any(file.calls(Trait.COMPILES)):
        for call, loop in file.looped_calls():
            yield from _check(call, loop)


def _check(call: Call, loop: Loop) -> Iterator[Finding]:
    if not call.arguments:
        return
    compiled = _compiler(call)
    if compiled is None or not _is_for_each_shape(compiled) or call.function.compilations:
        return
    found = next((shape for one in call.arguments if (shape := shape_of(one, loop))), None)
    if found is not None and "seldom" not in call.runs_for:
        yield _finding(call, found, compiled)


def _compiler(call: Call) -> Compilation | Call | None:
    """The decorator, or the call of a compiler, that made what a call runs."""
    for function in call.runs:
        return function.compiled_itself
    return next((made for made in call.callee.makers if made.has(Trait.COMPILES)), None)


def _option(compiled: Compilation | Call, role: ParameterRole) -> Value | None:
    return compiled.in_role(role) if isinstance(compiled, Call) else compiled.option(role)


def _is_for_each_shape(compiled: Compilation | Call) -> bool:
    if compiled.has(Trait.BREAKS_GRAPH):
        dynamic = _option(compiled, ParameterRole.DYNAMIC)
        return dynamic is not None and dynamic.constant is False
    said = (ParameterRole.SIGNATURE, ParameterRole.RELAXED_SHAPES)
    is_relaxed = any(_option(compiled, role) is not None for role in said)
    return compiled.has(Trait.TRACES_EACH_SHAPE) and not is_relaxed


def _finding(call: Call, shape: Shape, compiled: Compilation | Call) -> Finding:
    framework = compiled.framework
    compiler = compiled.name if isinstance(compiled, Call) else compiled.compiler
    again = "traces" if framework == "tensorflow" else "compiles"
    mended = relaxed(call, compiled)
    return rule.finding(
        call,
        f"`{compiler}` {again} `{call.name}` again for each shape of"
        f" `{shape.at.text}`: {shape.reason}",
        _REMEDIES[framework],
        fix=Fix(mended[0], (mended[1],), Safety.UNSAFE) if mended else None,
        framework=framework,
        related=(
            shape.source.step(f"`{shape.source.text}` gives it its length"),
            compiled.step(f"`{compiled.text}` compiles it"),
        ),
        estimate=share(Cost.COMPILE, 8, Iteration.RUN),
    )
