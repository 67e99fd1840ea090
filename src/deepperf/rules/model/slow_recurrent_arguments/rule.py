"""A recurrent layer is given an argument that the kernel for whole sequences does not have."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import remove_keyword
from deepperf.knowledge.schema import Parameter, ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import MISSING, Call, Value

rule = Rule(
    module=__name__,
    cause="improper-model-parameter",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="model-building",
    level=Level.WARNING,
    frameworks=("keras",),
)


@each_call(Trait.CONFIGURES)
def check(call: Call) -> Iterator[Finding]:
    given = call.all_in_role(ParameterRole.FUSED)
    barring = [(p, value) for p, value in given if _differs(p, value)]
    if not barring:
        return
    names = ", ".join(f"`{p.name}={value.text}`" for p, value in barring)
    defaults = ", ".join(f"`{p.name}={p.default}`" for p, _ in barring)
    yield rule.finding(
        call,
        f"{names} keeps `{call.name}` from the cuDNN kernel: on a GPU it runs step by step instead",
        f"use {defaults} where the model allows it, with dropout between the layers",
        fix=_fix(call, barring[0][0]),
        framework="keras",
        estimate=0.3,
    )


def _fix(call: Call, parameter: Parameter) -> Fix | None:
    """One argument at a time: what is left is found again."""
    edit = remove_keyword(call.file_text, *call.span, parameter.name)
    title = f"leave out {parameter.name}"
    return Fix(title, (edit,), Safety.UNSAFE) if edit is not None else None


def _differs(parameter: Parameter, value: Value) -> bool:
    """Whether it is surely another value than the default."""
    if value.literal is MISSING:
        last = {name.rpartition(".")[2] for name in value.names}
        return bool(last) and not value.is_unknown and repr(*last) != parameter.default
    if not value.literal:
        return parameter.default not in ("False", "0.0")
    return repr(value.literal) != parameter.default
