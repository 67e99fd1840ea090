"""A trainer is told to do seldom needed work in each step."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import replace_argument
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
    frameworks=("torch", "transformers"),
)
_MANY = 8
_SELDOM = "10"
_ROLES = (
    ParameterRole.LOG_EVERY,
    ParameterRole.BATCH_SIZE,
    ParameterRole.ACCUMULATION,
    ParameterRole.EACH_STEP,
    ParameterRole.SYNCED,
)


@each_call(Trait.CONFIGURES)
def check(call: Call) -> Iterator[Finding]:
    told = {
        role: (parameter.name, value.literal)
        for role in _ROLES
        for parameter, value in call.all_in_role(role)
    }
    for message, remedy in _complaints(told):
        yield rule.finding(
            call,
            message,
            remedy,
            fix=_fix(call, told) if message.startswith(_logged(told)) else None,
            related=tuple(
                one.step(f"`{parameter.name}` is set here")
                for role in _ROLES
                for parameter, value in call.all_in_role(role)
                if f"`{parameter.name}=" in message
                for one in value.written_at
            ),
            framework="transformers" if call.framework == "transformers" else "torch",
            estimate=0.005,
        )


def _logged(told: dict[ParameterRole, tuple[str, object]]) -> str:
    return f"`{told.get(ParameterRole.LOG_EVERY, ('', None))[0]}="


def _fix(call: Call, told: dict[ParameterRole, tuple[str, object]]) -> Fix | None:
    name = told[ParameterRole.LOG_EVERY][0]
    edit = replace_argument(call.file_text, *call.span, name, _SELDOM)
    return Fix(f"log every {_SELDOM} steps", (edit,), Safety.UNSAFE) if edit is not None else None


def _complaints(told: dict[ParameterRole, tuple[str, object]]) -> Iterator[tuple[str, str]]:
    every, logged = told.get(ParameterRole.LOG_EVERY, ("", None))
    if logged == 1:
        yield (
            f"`{every}=1`: the host waits for the loss and logs it in each step",
            f"log less often, as with `{every}={_SELDOM}`",
        )
    size, rows = told.get(ParameterRole.BATCH_SIZE, ("", None))
    steps, summed = told.get(ParameterRole.ACCUMULATION, ("", None))
    if rows == 1 and isinstance(summed, int) and summed >= _MANY:
        yield (
            f"`{size}=1` with `{steps}={summed}`: each forward pass has a single sample",
            f"raise `{size}` as far as memory allows, and lower `{steps}` by the same factor",
        )
    step, each = told.get(ParameterRole.EACH_STEP, ("", None))
    sync, synced = told.get(ParameterRole.SYNCED, ("", None))
    if each is True and synced is True:
        yield (
            f"`{sync}=True` with `{step}=True`: all processes wait for each other in each step",
            f"average once per epoch: leave `{step}` out, or `{sync}`",
        )
