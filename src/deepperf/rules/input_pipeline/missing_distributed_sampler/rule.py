"""Each of several processes goes over all of the data, instead of a part of its own."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Function

rule = Rule(
    module=__name__,
    cause="improper-data-input",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch",),
)
_CALLEES = 2


@each_call(Trait.JOINS_PROCESSES)
def check(call: Call) -> Iterator[Finding]:
    """Beside where a model is wrapped, nothing may be shared out or chosen otherwise."""
    near = _near(call.function)
    if any(any(one.file.calls(Trait.SHARES_OUT)) for one in near):
        return
    for function in sorted(near, key=lambda one: one.place):
        for loader in function.calls():
            if _goes_over_all(loader):
                yield rule.finding(
                    loader,
                    f"every process goes over all samples: `{loader.name}` shuffles them by itself,"
                    f" while `{call.name}` has several processes train one model",
                    "pass `sampler=DistributedSampler(dataset)` instead of `shuffle=True`, and call"
                    " `sampler.set_epoch(epoch)` before each epoch",
                    path=(call.step(f"`{call.text}` wraps the model"),),
                    framework="torch",
                    estimate=0.4,
                )


def _goes_over_all(call: Call) -> bool:
    if not call.takes(ParameterRole.SHUFFLED) or not call.takes(ParameterRole.ORDER):
        return False
    shuffled = call.in_role(ParameterRole.SHUFFLED)
    return (
        shuffled is not None
        and shuffled.constant is True
        and not call.passes_unseen
        and call.in_role(ParameterRole.ORDER) is None
    )


def _near(function: Function) -> set[Function]:
    """The function, what it runs, and the functions that run it, with what these run."""
    found = {function, *(call.function for call in function.callers())}
    new = found
    for _ in range(_CALLEES):
        new = {run for one in new for call in one.calls() for run in call.runs} - found
        found = found | new
    return found
