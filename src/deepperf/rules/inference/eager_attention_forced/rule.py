"""Attention writes its whole matrix of weights to memory, because it is told to."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import remove_keyword
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Value

rule = Rule(
    module=__name__,
    cause="improper-configuration",
    symptoms=("slow-execution", "abnormal-gpu-memory"),
    stage="prediction",
    level=Level.NOTE,
    frameworks=("transformers",),
)


@each_call(Trait.CONFIGURES)
def check(call: Call) -> Iterator[Finding]:
    for parameter, value in call.all_in_role(ParameterRole.ATTENTION):
        if value.literal != "eager" or _are_looked_at(call):
            continue
        edit = remove_keyword(call.file_text, *call.span, parameter.name)
        fix = Fix(f"leave `{parameter.name}` out", (edit,), Safety.UNSAFE) if edit else None
        yield rule.finding(
            call,
            f'`{parameter.name}="eager"` stores the attention weights of all pairs of tokens',
            f'leave `{parameter.name}` out, or pass `"sdpa"`, unless the weights are looked at'
            " or the model is known to need it",
            fix=fix,
            related=tuple(
                one.step(f"`{parameter.name}` is set here") for one in _places(call, value)
            ),
            framework="transformers",
            estimate=0.005,
        )


def _places(call: Call, value: Value) -> tuple[Value, ...]:
    """Where the argument is said, if not in the call."""
    return value.written_at or (() if call.encloses(value) else (value,))


def _are_looked_at(call: Call) -> bool:
    """Whether the weights are read; a training that only asks for them reads none."""
    trains = any(call.file.calls(Trait.TRAINS))
    return call.file.mentions("attentions" if trains else "output_attentions")
