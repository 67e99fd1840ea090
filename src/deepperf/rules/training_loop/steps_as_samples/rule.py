"""An epoch is told to have as many steps as there are samples, though each step takes a batch."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import FileView

rule = Rule(
    module=__name__,
    cause="improper-hyper-parameter",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.WARNING,
    frameworks=("keras",),
)

_PASSES = {
    "steps_per_epoch": "an epoch",
    "validation_steps": "each validation",
    "steps": "a pass",
}

_SKETCH = """\
batch_size = ...  # how many samples one step takes
steps = math.ceil({counted} / batch_size)
{called}(..., {parameter}=steps)
"""


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    for call in file.miscounted_trainings():
        what = _PASSES[call.parameter]
        yield rule.finding(
            call,
            f"{what} of `{call.called}` has `{call.counted}` steps, one per sample, but every "
            "step takes a whole batch",
            f"divide by the batch size: `{call.parameter}=math.ceil({call.counted} / batch_size)`; "
            "or omit it if the input is finite",
            framework="keras",
            sketch=_SKETCH.format(
                counted=call.counted, called=call.called, parameter=call.parameter
            ),
        )
