"""Each step looks for parameters without a gradient, and processes tell each other of them."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import remove_keyword
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call

rule = Rule(
    module=__name__,
    cause="improper-configuration",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)


@each_call(Trait.CONFIGURES)
def check(call: Call) -> Iterator[Finding]:
    for parameter, value in call.all_in_role(ParameterRole.FINDS_UNUSED):
        is_switch = value.literal is True
        if is_switch or value.literal in parameter.among:
            edit = remove_keyword(call.file_text, *call.span, parameter.name) if is_switch else None
            yield rule.finding(
                call,
                f"`{parameter.name}={value.text}`: each step goes through the graph of the forward"
                " pass for parameters that get no gradient, and exchanges which those are",
                f"leave `{parameter.name}` out where every parameter takes part in every loss; the"
                " first step fails, and says so, where one does not"
                if is_switch
                else 'pass `strategy="ddp"` where every parameter takes part in every loss; the'
                " first step fails, and says so, where one does not",
                fix=Fix("look for none", (edit,), Safety.UNSAFE) if edit is not None else None,
                framework="torch",
                estimate=0.005,
            )
