"""A call meets a known defect of the framework version that the project names."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import FileView, LoopPath

rule = Rule(
    module=__name__,
    cause="buggy-library-version",
    symptoms=("memory-leak", "slow-execution", "program-hang"),
    stage="environment",
    level=Level.NOTE,
    frameworks=("tensorflow", "torch"),
)


@on_file
def check(file: FileView) -> Iterator[Finding]:
    # A test ends before a defect that grows can be felt.
    if file.role is Role.TEST:
        return
    for call in file.defects():
        path = call.repeated
        when = ""
        if isinstance(path, LoopPath):
            when = f", in every iteration of `{path.loop.header}`"
        elif path is not None:
            when = f", for each request to `{path.handler.name}`"
        yield rule.finding(
            call,
            f"with {call.versions}, `{call.called}` {call.symptom}{when}",
            f"{call.remedy} ({call.report})",
            path.steps() if path is not None else (),
            framework=call.framework,
        )
