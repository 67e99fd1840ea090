"""For people: each finding with its source line, call path, evidence and remedy."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

from deepperf.outputs.annotated import sketched
from deepperf.outputs.paint import Paint, harmless
from deepperf.outputs.results import Results, counted, failed, failures, shown, summary
from deepperf.records import Failure, Finding, Level, Location, Role, Safety

WIDEST = 160
"""Longer source lines are cut around the place."""

_ROLES: Mapping[Role, str] = {Role.TEST: "a test", Role.EXAMPLE: "an example"}


def lines(results: Results, paint: Paint) -> Iterator[str]:
    """The failures, the findings with an empty line behind each, and a summary."""
    yield from failure_lines(results, paint)
    measured = _sentences(results)
    for finding in shown(results):
        yield from _finding(finding, measured, paint)
        if results.wants_sketches:
            yield from (f"    {row}" for row in sketched(finding))
        yield ""
    yield summary(results)


def _sentences(results: Results) -> Mapping[tuple[str, str], str]:
    """What was measured, by rule and framework of the findings."""
    if not results.evidence:
        return {}
    from deepperf.rules.evidence import sentence

    asked = {(finding.rule, finding.framework) for finding in shown(results)}
    return {
        (rule, framework): sentence(results.evidence[rule], framework)
        for rule, framework in asked
        if rule in results.evidence
    }


def failure_lines(results: Results, paint: Paint) -> Iterator[str]:
    """A line per failure; a crash of ours that repeats itself is told once and counted."""
    found = failures(results)
    crashes = Counter(failure.message for failure in found if failure.internal)
    for failure in found:
        if not failure.internal:
            yield failure_line(failure, paint)
        elif number := crashes.pop(failure.message, 0):
            others = f" (also in {counted(number - 1, 'more file')})" if number > 1 else ""
            yield failure_line(failure, paint) + others


def failure_line(failure: Failure, paint: Paint) -> str:
    """A failure in one line."""
    where = _place(failure.location, paint)
    return f"{where} {paint(paint.error, failed(failure))}: {harmless(failure.message)}"


def _finding(
    finding: Finding, measured: Mapping[tuple[str, str], str], paint: Paint
) -> Iterator[str]:
    level = finding.level.name.lower()
    colour = {Level.ERROR: paint.error, Level.WARNING: paint.warning}.get(finding.level, paint.note)
    role = "" if finding.role is Role.SOURCE else f" in {_ROLES[finding.role]}"
    yield (
        f"{_place(finding.location, paint)} {paint(colour, level + role)} "
        f"{paint(paint.rule, finding.rule)}: {harmless(finding.message)}"
    )
    yield from _excerpt(finding, paint)
    for step in finding.path:
        where = paint(paint.faint, harmless(str(step.location)))
        yield f"    {paint(paint.faint, 'at')} {where} {harmless(step.text)}"
    for place in finding.related:
        where = paint(paint.faint, harmless(str(place.location)))
        yield f"    {paint(paint.faint, 'also')} {where} {harmless(place.text)}"
    said = measured.get((finding.rule, finding.framework))
    if said:
        yield f"    {paint(paint.faint, 'measured:')} {harmless(said)}"
    if finding.remedy:
        yield f"    {paint(paint.faint, 'instead:')} {harmless(finding.remedy)}{_fixable(finding)}"


def _fixable(finding: Finding) -> str:
    if finding.fix is None:
        return ""
    rails = ", --guard-rails" if finding.guarded is not None else ""
    return " [--fix]" if finding.fix.safety is Safety.SAFE else f" [--unsafe-fixes{rails}]"


def _place(location: Location, paint: Paint) -> str:
    return paint(paint.place, harmless(str(location))) + ":"


def _excerpt(finding: Finding, paint: Paint) -> Iterator[str]:
    """The source line with the place underlined; a wide character takes two carets."""
    source = finding.source_line.rstrip()
    if not source.strip():
        return
    begin = min(finding.location.column - 1, len(source))
    same_line = finding.location.end_line == finding.location.line
    end = min(finding.location.end_column - 1, len(source)) if same_line else len(source)
    end = max(end, begin + 1)
    indent = len(source) - len(source.lstrip())
    first = min(indent, begin)
    lead = ""
    if len(source) - first > WIDEST and begin - first > WIDEST // 2:
        first = begin - WIDEST // 4
        lead = "…"
    last = min(len(source), first + WIDEST)
    before = lead + _flat(source[first:begin])
    marked = _flat(source[begin : min(end, last)])
    after = _flat(source[end:last]) + ("…" if last < len(source) else "")
    number = str(finding.location.line)
    bar = paint(paint.faint, "|")
    yield f"{paint(paint.faint, number.rjust(5))} {bar} {before}{marked}{after}"
    carets = paint(paint.caret, "^" * max(1, _width(marked)))
    yield f"      {bar} {' ' * _width(before)}{carets}"


def _flat(text: str) -> str:
    return harmless(text.expandtabs(4).replace("\t", "    "))


def _width(text: str) -> int:
    """How many columns a terminal gives the text."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)
