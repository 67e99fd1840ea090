"""Variables get their values one session call at a time, in each step."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import FileView, LoopOver, VariableLoad

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow", "keras"),
)


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST or not file.may_concern_graphs:
        return
    for load in file.variable_loads():
        loop = load.path.loop
        if loop.file.role is Role.TEST:
            continue
        # An epoch takes long enough for it not to matter much.
        is_rare = load.path.runs_after_minutes(load.call)
        level = Level.NOTE if is_rare or loop.over is LoopOver.EPOCHS else None
        yield rule.finding(
            load.call,
            f"`{load.call.called}` sets one variable per session call, several times in every "
            f"iteration of `{loop.header}`",
            _remedy(load),
            load.path.steps(),
            framework=load.call.framework or "tensorflow",
            level=level,
        )


def _remedy(load: VariableLoad) -> str:
    if load.has_batch_form:
        return "pass all variables and values to one call of `batch_set_value`"
    if load.is_run_of_assignment:
        return "run all assignments in one session call that feeds all their placeholders"
    return (
        "create a placeholder and an assignment for each variable once, and run all assignments "
        "in one session call"
    )
