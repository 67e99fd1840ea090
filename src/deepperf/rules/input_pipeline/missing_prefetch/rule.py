"""A pipeline prepares elements only when they are asked for, while the training waits."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.records import Edit, Finding, Fix, Level, Role, Safety
from deepperf.rules.rule import Rule, Saves, on_file
from deepperf.semantics.view import FileView
from deepperf.semantics.view.prefetching import Unprefetched, unprefetched

rule = Rule(
    module=__name__,
    cause="inefficient-data-transmission",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="data-preparation",
    level=Level.NOTE,
    frameworks=("tensorflow",),
    saves=Saves.WAITING,
)


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    for found in unprefetched(file):
        yield rule.finding(
            found.last,
            f"the pipeline that ends with `{found.last.called}` has no `prefetch()`: "
            f"the model waits for each batch{found.why_older}",
            "end the pipeline with `prefetch`, so that the next batch is prepared while the model "
            "works on this one",
            found.steps(),
            fix=_fix(found),
        )


def _fix(found: Unprefetched) -> Fix:
    """One batch ahead is enough to have the model never wait for what takes no longer than it.

    Python that makes it may draw numbers, or read what the step changes, too early.
    """
    end = found.last.span[1]
    safety = Safety.UNSAFE if found.may_run_python else Safety.SAFE
    return Fix("prepare a batch ahead", (Edit(end, end, ".prefetch(1)"),), safety)
