"""Text is generated without the cache, so each token computes all tokens before it again."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Value

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
    cache, most = _said(call, ParameterRole.CACHE), _said(call, ParameterRole.MOST)
    if cache is None or cache.literal is not False:
        return
    if most is not None and isinstance(most.literal, int) and most.literal < _FEW_TOKENS:
        return
    start, end = cache.span
    is_here = cache.path == call.path
    yield rule.finding(
        call,
        f"`{call.name}` keeps no cache: each new token computes all tokens before it again",
        "leave the cache on; gradient checkpointing needs it off in training only",
        fix=Fix("keep the cache", (Edit(start, end, "True"),), Safety.UNSAFE) if is_here else None,
        framework="transformers",
        related=() if call.encloses(cache) else (cache.step("it is switched off here"),),
        estimate=0.5,
    )


def _said(call: Call, role: ParameterRole) -> Value | None:
    """The argument in a role, or that of the one object that says how to generate."""
    given, settings = call.in_role(role), call.in_role(ParameterRole.SETTINGS)
    makers = settings.makers if given is None and settings is not None else ()
    return makers[0].in_role(role) if len(makers) == 1 else given
