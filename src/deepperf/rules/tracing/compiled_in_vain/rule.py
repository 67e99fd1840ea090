"""A function or model is compiled, and what runs is the uncompiled one."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import argument_text
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, each_call
from deepperf.rules.tracing.compiled_in_vain.keeping import kept_result, unused
from deepperf.semantics.query import Call, Kind, Value

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch", "tensorflow", "jax"),
)

_WORK = (Trait.RUNS_MODULE, Trait.COMPUTES)


@each_call(Trait.COMPILES)
def check(call: Call) -> Iterator[Finding]:
    compiled = _compiled(call)
    if compiled is None or not call.has(Trait.WRAPS_FUNCTION) or _is_decorator(call):
        return
    how = unused(call)
    # TorchScript remembers the classes that it was given, and something unknown may be one.
    may_register = call.framework == "torch" and not call.has(Trait.BREAKS_GRAPH)
    if how and not (may_register and compiled.is_unknown):
        name = argument_text(call.file_text, *call.span, 0) or compiled.text
        yield rule.finding(
            call,
            f"`{call.name}` gives a compiled function, and {how}: `{name}` itself stays as it is",
            f"call what it gives: `fast = {call.text}`, and `fast(…)` from there on",
            fix=kept_result(call),
            framework=call.framework,
            estimate=0.05,
        )
        return
    if not call.has(Trait.BREAKS_GRAPH):
        return
    beside = [user for user in _other_methods(call) if not user.runs_eagerly]
    if beside:
        yield _finding(call, beside)


def _compiled(call: Call) -> Value | None:
    found = call.in_role(ParameterRole.FUNCTION)
    return found if found is not None and found.constant is not None else None


def _is_decorator(call: Call) -> bool:
    return any(user.kind in (Kind.FUNCTION, Kind.CLASS) for user in call.result.users)


def _other_methods(call: Call) -> Iterator[Call]:
    """The calls of methods of a compiled model that run the model, and not its `forward`."""
    if call.file.role is Role.TEST:
        return
    kept = {user.data for user in call.result.users if user.kind is Kind.SET_ATTRIBUTE}
    kept |= {call.result.variable} - {""}
    for function in call.file.functions() if kept else ():
        for read in function.values(Kind.ATTRIBUTE):
            if not _may_be(read.operands[0], call, kept) or not _is_called(read):
                continue
            if read.operands[0].makers != (call,):
                continue
            for user in read.users:
                run = user.call
                if run is not None and run.callee == read and _is_work(run, read.data):
                    yield run


def _may_be(value: Value, call: Call, kept: set[str]) -> bool:
    """Whether a value may be what a call gave, by the names that this is kept under."""
    is_named = value.kind in (Kind.NAME, Kind.ATTRIBUTE) and value.data in kept
    return is_named or value == call.result or value.kind in (Kind.PHI, Kind.CYCLE)


def _is_called(read: Value) -> bool:
    return any(user.call is not None and user.call.callee == read for user in read.users)


def _is_work(run: Call, name: str) -> bool:
    if name in ("forward", "__call__"):
        return False
    if run.has(Trait.GENERATES):
        return True
    methods = [one for one in run.runs if one.is_method]
    # What a compiled `forward` calls is compiled as a part of it, and not where others call it.
    directly = any(not one.calls for method in methods for one in method.compilations)
    return bool(methods and run.way_to(*_WORK)) and not directly


def _finding(call: Call, beside: list[Call]) -> Finding:
    first, *others = beside
    model = first.receiver.text if first.receiver is not None else "model"
    # What generates calls the model in Python, step after step.
    instead = (
        f"compile the step that it repeats: `{model}.forward = torch.compile({model}.forward)`,"
        ' with a cache of fixed size (`cache_implementation="static"`)'
        if first.has(Trait.GENERATES)
        else f"compile it by itself: `torch.compile({first.callee.text})`, of the model that is not"
        f" compiled; or `{model}.compile()` where it calls the model"
    )
    return rule.finding(
        first,
        f"`{first.name}` runs uncompiled: `{call.name}` compiles what calling the model runs, its"
        " `forward`, and no other method",
        instead,
        related=(
            *[one.step(f"`{one.name}` does as well") for one in others],
            call.step(f"`{call.text}` compiles it"),
        ),
        estimate=0.05,
    )
