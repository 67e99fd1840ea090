"""Text is generated without the cache, so each token computes all tokens before it again."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution", "increasing-time"),
    stage="prediction",
    level=Level.WARNING,
    frameworks=("transformers",),
)

_FEW_TOKENS = 4


@each_call(Trait.GENERATES)
def check(call: Call) -> Iterator[Finding]:
    cache, most = call.in_role(ParameterRole.CACHE), call.in_role(ParameterRole.MOST)
    if cache is None or cache.literal is not False:
        return
    if most is not None and isinstance(most.literal, int) and most.literal < _FEW_TOKENS:
        return
    start, end = cache.span
    yield rule.finding(
        call,
        f"`{call.name}` keeps no cache: each new token computes all tokens before it again",
        "leave the cache on; gradient checkpointing needs it off in training only",
        fix=Fix("keep the cache", (Edit(start, end, "True"),), Safety.UNSAFE),
        framework="transformers",
        estimate=0.5,
    )
