"""Each call passes an array of another shape, and each shape is compiled by itself."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.relaxing import freed, relaxed
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Role, Safety
from deepperf.rules.guard_rails import says_recompilations
from deepperf.rules.rule import Rule, each_file
from deepperf.rules.tracing.shape_per_call.shapes import Search, Shape, shape_of
from deepperf.semantics.query import (
    Call,
    Compilation,
    Cost,
    File,
    Iteration,
    Repeated,
    Value,
    repeated,
    share,
)

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "memory-leak"),
    stage="training",
    level=Level.NOTE,
    frameworks=("tensorflow", "jax", "torch"),
)

_REMEDIES = {
    "tensorflow": "set `reduce_retracing=True`, or an `input_signature` with `None` for that axis",
    "jax": "pass arrays of one length (pad them, and mask what was added), or of a few lengths",
    "torch": "leave `dynamic` out: the second shape then compiles for all; or mark the axis with"
    " `torch._dynamo.mark_dynamic`",
}

_BY_SHAPE = (
    "pass arrays of a few lengths (pad them, and mask what was added), or leave `jit_compile` out"
)

_FREED = (
    "leave `{}` out: the second shape then compiles for all; or mark the axis with"
    " `torch._dynamo.mark_dynamic`"
)


@each_file
def check(file: File) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    if file.is_in_compiling_project or any(file.calls(Trait.COMPILES)):
        for call in file.calls():
            yield from _check(call)


def _check(call: Call) -> Iterator[Finding]:
    if not call.arguments:
        return
    compiled = _compiler(call)
    if compiled is None or call.function.compilations or call.runs_seldom:
        return
    around = repeated(call)
    if around is None:
        return
    is_each = _is_for_each_shape(compiled)
    for argument in call.arguments:
        fixed = None if is_each else _fixed(argument, around, compiled)
        if is_each or fixed is not None:
            is_told = compiled.framework != "torch"
            found = shape_of(Search(argument, _is_index(call, argument), is_told=is_told), around)
            if found is not None:
                yield _finding(call, found, compiled, fixed)
                return


def _is_index(call: Call, argument: Value) -> bool:
    for function in call.runs:
        for index, parameter in enumerate(function.parameters):
            if call.passed_for(function, index) == argument:
                return parameter.is_used_as_index
    return False


def _compiler(call: Call) -> Compilation | Call | None:
    """The decorator, or the call of a compiler, that made what a call runs."""
    for function in call.runs:
        compiled = function.compiled_itself
        return compiled if compiled is not None and compiled.may_run_in(call) else None
    return next((made for made in call.callee.makers if made.has(Trait.COMPILES)), None)


def _option(compiled: Compilation | Call, role: ParameterRole) -> Value | None:
    return compiled.in_role(role) if isinstance(compiled, Call) else compiled.option(role)


def _is_for_each_shape(compiled: Compilation | Call) -> bool:
    if compiled.has(Trait.BREAKS_GRAPH):
        dynamic = _option(compiled, ParameterRole.DYNAMIC)
        return dynamic is not None and dynamic.literal is False
    if _is_by_shape(compiled):
        return True
    said = (ParameterRole.SIGNATURE, ParameterRole.RELAXED_SHAPES)
    is_relaxed = any(_option(compiled, role) is not None for role in said)
    return compiled.has(Trait.TRACES_EACH_SHAPE) and not is_relaxed


def _is_by_shape(compiled: Compilation | Call) -> bool:
    """Whether one trace for all shapes is compiled for each of them."""
    option = _option(compiled, ParameterRole.EACH_SHAPE)
    return option is not None and option.literal is True


def _fixed(argument: Value, around: Repeated, compiled: Compilation | Call) -> Call | None:
    """The call that makes an argument's shape a constant of what PyTorch compiles."""
    if not compiled.has(Trait.BREAKS_GRAPH):
        return None
    calls = (around.loop or around.function).calls()
    return next((one for one in calls if one.in_role(ParameterRole.FIXED) == argument), None)


def _fix(call: Call, compiled: Compilation | Call, fixed: Call | None) -> Fix | None:
    if fixed is not None:
        edit = freed(fixed)
        return None if edit is None else Fix("say that the axis changes", (edit,), Safety.UNSAFE)
    mended = None if _is_by_shape(compiled) else relaxed(call, compiled)
    return Fix(*mended, Safety.UNSAFE) if mended else None


def _finding(call: Call, shape: Shape, compiled: Compilation | Call, fixed: Call | None) -> Finding:
    framework = compiled.framework
    compiler = compiled.name if isinstance(compiled, Call) else compiled.compiler
    again = "traces" if framework == "tensorflow" else "compiles"
    remedy = _FREED.format(fixed.text) if fixed is not None else _REMEDIES[framework]
    is_by_shape = _is_by_shape(compiled)
    remedy = _BY_SHAPE if is_by_shape else remedy
    again = "compiles" if is_by_shape else again
    return rule.finding(
        call,
        f"`{compiler}` {again} `{call.name}` again for each shape of"
        f" `{shape.at.text}`: {shape.reason}",
        remedy + says_recompilations(call.file, framework, call.name),
        fix=_fix(call, compiled, fixed),
        framework=framework,
        related=(
            shape.source.step(f"`{shape.source.text}` gives it its length"),
            *[one.step(f"`{one.text}` has each length compiled") for one in (fixed,) if one],
            compiled.step(f"`{compiled.text}` compiles it"),
        ),
        estimate=share(Cost.COMPILE, 8, Iteration.RUN),
    )
