"""A strategy runs each step on its devices operation by operation, outside of a `tf.function`."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow",),
)

_REPEATED = frozenset(("step", "batch", "unknown", "item", "token"))


@each_call(Trait.RUNS_REPLICAS)
def check(call: Call) -> Iterator[Finding]:
    function = call.function
    if function.compilations or function.is_traced or call.runs_seldom:
        return
    run = call.in_role(ParameterRole.FUNCTION)
    is_compiled = run is not None and any(one.compilations for one in run.functions)
    if is_compiled or not (call.loops or call.runs_for & _REPEATED):
        return
    name = run.text if run is not None else "the step"
    yield rule.finding(
        call,
        f"`{call.name}` runs `{name}` eagerly on each device in every iteration, one operation and"
        " one device after the other",
        f"call it in a function with `@tf.function`, and pass that the batch: `def"
        f" distributed_step(batch): return {call.text}`",
        framework="tensorflow",
        estimate=0.2,
    )
