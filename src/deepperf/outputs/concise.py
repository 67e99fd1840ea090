"""One line per finding, for grep and for editors."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.outputs.paint import Paint, harmless
from deepperf.outputs.results import Results, shown, summary
from deepperf.outputs.text import failure_lines
from deepperf.records import Level


def lines(results: Results, paint: Paint) -> Iterator[str]:
    """Failures, then `place: level rule: message` for each finding, then the summary."""
    yield from failure_lines(results, paint)
    colours = {Level.ERROR: paint.error, Level.WARNING: paint.warning, Level.NOTE: paint.note}
    for finding in shown(results):
        level = paint(colours[finding.level], finding.level.name.lower())
        place = paint(paint.place, harmless(str(finding.location)))
        rule = paint(paint.rule, finding.rule)
        yield f"{place}: {level} {rule}: {harmless(finding.message)}"
    yield summary(results)
