"""The steps of a training prepare their batches by a Python loop over single samples."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.records import Finding, Level, Role, Step
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import FileView, SampleWork

rule = Rule(
    module=__name__,
    cause="inefficient-data-preprocessing",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow", "torch"),
)
_PIPELINE = {
    "torch": "or do it ahead of the steps, in a `Dataset` whose `DataLoader` has workers",
}
_MAP = (
    "or do it ahead of the steps, in a `tf.data` pipeline with `batch`, "
    "`map(..., num_parallel_calls=...)` and `prefetch`"
)
SEVERAL = 3
"""Operations for each sample, run backward as well, from which on a loss is felt."""


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    for work in file.sample_work():
        loop = work.path.loop
        if loop.is_tiny:
            continue
        turn = f"`{work.named}` processes one sample in every iteration of `{loop.header}`, and"
        at_once = f"apply `{work.named}` to the whole batch at once"
        message = f"{turn} the training step waits for `{work.join.called}` to make the batch"
        remedy = f"{at_once}, {_PIPELINE.get(work.framework, _MAP)}"
        yield rule.finding(
            work.path.calls[0] if work.path.calls else work.work,
            message,
            remedy,
            _steps(work),
            framework=work.framework,
        )


def _steps(work: SampleWork) -> tuple[Step, ...]:
    steps = work.path.steps()
    return (*steps, Step(work.work.location, "the sample is processed")) if steps else ()
