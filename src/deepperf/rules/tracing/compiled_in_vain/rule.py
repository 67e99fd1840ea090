"""A function or model is compiled, and what runs is the uncompiled one."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Function, Kind, Value

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch",),
)

_WORK = (Trait.RUNS_MODULE, Trait.COMPUTES)


@each_call(Trait.COMPILES)
def check(call: Call) -> Iterator[Finding]:
    compiled = _compiled(call)
    wraps = call.has(Trait.WRAPS_FUNCTION) and call.has(Trait.BREAKS_GRAPH)
    if compiled is None or not wraps or _is_decorator(call):
        return
    unused = _unused(call)
    if unused:
        kept = call.result.variable or _name_of(compiled)
        yield rule.finding(
            call,
            f"`{call.name}` gives a compiled function, and {unused}:"
            f" `{compiled.text}` itself stays as it is",
            f"keep and call what it gives: `{kept} = {call.text}`",
            estimate=0.05,
        )
        return
    beside = [user for user in _other_methods(call) if not user.runs_eagerly]
    if beside:
        yield _finding(call, beside)


def _compiled(call: Call) -> Value | None:
    found = call.in_role(ParameterRole.FUNCTION)
    return found if found is not None and found.constant is not None else None


def _is_decorator(call: Call) -> bool:
    return any(user.kind in (Kind.FUNCTION, Kind.CLASS) for user in call.result.users)


def _name_of(value: Value) -> str:
    return value.text if value.kind in (Kind.NAME, Kind.ATTRIBUTE) or value.variable else "fast"


def _unused(call: Call) -> str:
    """How nothing uses what a call gives; "" where something may."""
    result = call.result
    if result.users:
        return ""
    name = result.variable
    if not name:
        # An interactive file shows what stands last in a cell.
        return "nothing keeps it"
    function = call.function
    is_local = function.is_function and name not in function.unit.outer_names
    if not is_local or any(_reads(one, name) for one in call.file.functions()):
        return ""
    return f"nothing calls `{name}`"


def _reads(function: Function, name: str) -> bool:
    return any(one.data == name for one in function.values(Kind.NAME))


def _other_methods(call: Call) -> Iterator[Call]:
    """The calls of methods of a compiled model that run the model, and not its `forward`."""
    for function in call.file.functions():
        for read in function.values(Kind.ATTRIBUTE):
            makers = read.operands[0].makers if _is_called(read) else ()
            if len(makers) != 1 or makers[0] != call:
                continue
            for user in read.users:
                run = user.call
                if run is not None and run.callee == read and _is_work(run, read.data):
                    yield run


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
    return rule.finding(
        first,
        f"`{first.name}` runs uncompiled: `{call.name}` compiles what calling the model runs, its"
        " `forward`, and no other method",
        f"compile it by itself: `torch.compile({first.callee.text})`, of the model that is not"
        " compiled; or `model.compile()` where it calls the model",
        related=(
            *[one.step(f"`{one.name}` does as well") for one in others],
            call.step(f"`{call.text}` compiles it"),
        ),
        estimate=0.05,
    )
