"""Compiled code goes back to Python in each call for what the framework computes by itself."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.rules.tracing.python_in_graph.work import Work, work_of
from deepperf.semantics.query import Call, Compilation, Value

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.NOTE,
    frameworks=("tensorflow", "jax"),
)

_NUMPY = {"tensorflow": "`tf.experimental.numpy`", "jax": "`jax.numpy`"}
_OUTSIDE = "return what it needs, and do it where the compiled function is called"


@each_call(Trait.CALLS_PYTHON)
def check(call: Call) -> Iterator[Finding]:
    given = call.in_role(ParameterRole.FUNCTION)
    compiled = [one for one in call.function.compilations if not one.has(Trait.BREAKS_GRAPH)]
    if given is None or not compiled or call.runs_seldom:
        return
    work = work_of(given)
    if work is not Work.EFFECT and not any(step.conditions for step in compiled[0].calls):
        yield _finding(call, given, work, compiled[0])


def _finding(call: Call, given: Value, work: Work, compiled: Compilation) -> Finding:
    framework = compiled.framework
    remedies = {
        Work.FRAMEWORK: f"call it without `{call.name}`: all that it does can be compiled",
        Work.NUMPY: "write it with the framework's own operations: most functions of NumPy are in"
        f" {_NUMPY[framework]}",
    }
    name = given.functions[0].name if given.functions else given.text
    what = "a lambda" if name == "<lambda>" else f"`{name}`"
    path = [one.step(f"`{one.name}` is called") for one in compiled.calls]
    return rule.finding(
        call,
        f"`{call.name}` leaves what `{compiled.compiler}` compiles in each call: tensors are copied"
        f" to the host, and Python runs {what} while the device waits",
        remedies.get(work, _OUTSIDE),
        path=(*path, call.step(f"`{call.name}` runs Python")) if path else (),
        framework=framework,
        related=(
            *[one.step(f"`{one.name}` runs in Python") for one in given.functions[:1]],
            compiled.step(f"`{compiled.text}` compiles it"),
        ),
        estimate=0.005 if work is Work.UNKNOWN else 0.05,
    )
