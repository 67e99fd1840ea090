"""Weights are kept in four bits, and computed with in 32."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call

rule = Rule(
    module=__name__,
    cause="improper-configuration",
    symptoms=("slow-execution",),
    stage="prediction",
    level=Level.WARNING,
    frameworks=("transformers",),
)
_TYPE = ParameterRole.COMPUTE_TYPE


@each_call(Trait.CONFIGURES)
def check(call: Call) -> Iterator[Finding]:
    kept = call.in_role(ParameterRole.FOUR_BITS)
    if kept is None or kept.literal is not True or call.passes_unseen:
        return
    chosen = [p for fact in call.facts for p in fact.parameters if p.role is _TYPE]
    if not chosen or call.in_role(_TYPE) is not None:
        return
    name = chosen[0].name
    yield rule.finding(
        call,
        f"`{call.name}` keeps weights in four bits and computes with them in 32, without `{name}`",
        f'pass `{name}="bfloat16"` (`"float16"` on GPUs without it)',
        fix=_fix(call, name),
        framework="transformers",
        estimate=0.3,
    )


def _fix(call: Call, name: str) -> Fix | None:
    edit = add_keyword(call.file_text, *call.span, name, '"bfloat16"')
    return Fix(f"pass `{name}`", (edit,), Safety.UNSAFE) if edit else None
