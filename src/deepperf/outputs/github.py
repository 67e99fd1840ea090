"""Annotations for GitHub Actions: workflow commands that its log turns into notes at the lines.

GitHub shows the first ten of each level per step, so the worst come first.
"""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.outputs.annotated import advice, in_cell, line_in_file, said, sketched
from deepperf.outputs.paint import Paint, harmless
from deepperf.outputs.results import Results, failed, failures, shown, summary
from deepperf.records import Level, Location

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def lines(results: Results, paint: Paint) -> Iterator[str]:  # noqa: ARG001 - one signature
    """A command for each failure and each finding, then the summary."""
    for failure in failures(results):
        command = "error" if failure.internal else "warning"
        text = f"{in_cell(failure.location)}{failure.message}"
        yield _command(command, failure.location, failed(failure), harmless(text))
    for finding in shown(results):
        text = "\n".join((said(finding), *advice(results, finding), *sketched(finding)))
        yield _command(_COMMANDS[finding.level], finding.location, finding.rule, text)
    yield summary(results)


def _command(command: str, location: Location, title: str, text: str) -> str:
    values: dict[str, object] = {"file": harmless(location.path), "line": line_in_file(location)}
    if not location.cell:
        values["endLine"] = location.end_line
        # GitHub takes columns only of what stands on one line.
        if location.line == location.end_line:
            values |= {"col": location.column, "endColumn": location.end_column}
    values["title"] = f"deepperf: {title}"
    properties = ",".join(f"{key}={_escaped_property(value)}" for key, value in values.items())
    return f"::{command} {properties}::{_escaped(text)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(value: object) -> str:
    return _escaped(str(value)).replace(":", "%3A").replace(",", "%2C")
