"""A model that serves is told to save memory, or start-up time, at the cost of each request."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call

rule = Rule(
    module=__name__,
    cause="improper-configuration",
    symptoms=("slow-execution",),
    stage="prediction",
    level=Level.NOTE,
    frameworks=("torch",),
)


@each_call(Trait.CONFIGURES)
def check_graphs(call: Call) -> Iterator[Finding]:
    for parameter, value in call.all_in_role(ParameterRole.UNCOMPILED):
        if value.constant is True:
            yield rule.finding(
                call,
                f"`{parameter.name}=True` has each token's operations launched one by one, without"
                " compiled graphs",
                f"leave `{parameter.name}` out where start-up time and memory allow it",
                framework="torch",
                estimate=0.005,
            )


@each_call(Trait.SAVES_MEMORY)
def check_memory(call: Call) -> Iterator[Finding]:
    if not call.conditions:
        yield rule.finding(
            call,
            f"`{call.name}` needs less memory and far more time in each step",
            "leave it out where the model fits on the device; else move whole models between steps",
            framework="torch",
            estimate=0.005,
        )
