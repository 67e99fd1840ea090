"""SARIF 2.1.0, which GitHub, editors and dashboards read.

GitHub takes 10 MB of compressed JSON and shows 5,000 results: the worst are kept. What a comment
or a baseline silences is told as suppressed, for a result that is missing would be closed there
and opened again.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from deepperf import __version__
from deepperf.outputs.annotated import advice, in_cell, line_in_file, said, sketched
from deepperf.outputs.paint import Paint, harmless
from deepperf.outputs.results import Results, counted, failed, failures, shown, worst_first
from deepperf.outputs.rule_help import RuleHelp, rule_help
from deepperf.records import Edit, Failure, Finding, Fix, Level, Location, Safety, Step
from deepperf.semantics.text.syntax import line_starts

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FINGERPRINT = "deepperf/v1"
MOST_RESULTS = 5_000
MOST_BYTES = 10_000_000
MOST_PLACES = 100
"""Places of a result that GitHub shows."""

_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "note"}
_SEVERITIES = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "recommendation"}

Json = dict[str, Any]
Starts = Callable[[str], Sequence[int]]
"""Tells where the lines of a file begin, nothing where it cannot be read."""


def lines(results: Results, paint: Paint) -> Iterator[str]:  # noqa: ARG001 - one signature
    """The document on one line, plain ASCII."""
    most = MOST_RESULTS
    while True:
        text = json.dumps(document(results, most), separators=(",", ":"))
        if most <= 1 or len(gzip.compress(text.encode("ascii"))) <= MOST_BYTES:
            break
        most //= 2
    yield text


def document(results: Results, most: int = MOST_RESULTS) -> Json:
    """The document as Python values, with the worst results up to a number."""
    told = tuple(_told(results))
    kept = told[:most]
    names = sorted({finding.rule for finding, _ in kept})
    order = {name: index for index, name in enumerate(names)}
    worst = {name: max(f.level for f, _ in kept if f.rule == name) for name in names}
    # Each text is cut into lines once.
    starts = functools.cache(lambda path: _starts(results.text(path, 0)))
    notes = [_notification(failure) for failure in failures(results)]
    if len(kept) < len(told):
        left_out = f"{counted(len(told) - len(kept), 'result')} left out, the least important"
        notes.append({"level": "warning", "message": {"text": left_out}})
    run = {
        "tool": {
            "driver": {
                "name": "deepperf",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(rule_help(name), worst[name]) for name in names],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not any(f.internal for f in failures(results)),
                "toolExecutionNotifications": notes,
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [
            {**_result(results, finding, starts), "ruleIndex": order[finding.rule], **suppressed}
            for finding, suppressed in kept
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _told(results: Results) -> Iterator[tuple[Finding, Json]]:
    """The findings with their suppressions, those that are not suppressed first."""
    before = {"kind": "external", "status": "accepted", "justification": "known before"}
    by_comment = {"kind": "inSource", "status": "accepted"}
    for finding in shown(results):
        yield finding, {}
    for finding in worst_first(f for report in results.reports for f in report.known):
        yield finding, {"suppressions": [before]}
    for finding in worst_first(f for report in results.reports for f in report.suppressed):
        yield finding, {"suppressions": [by_comment]}


def _rule(about: RuleHelp, level: Level) -> Json:
    rule: Json = {
        "id": about.name,
        "name": about.name.title().replace("-", ""),
        "shortDescription": {"text": about.summary},
        "fullDescription": {"text": about.summary},
        "defaultConfiguration": {"level": _LEVELS[level]},
        "properties": {
            "tags": ["performance", *about.tags],
            "problem.severity": _SEVERITIES[level],
        },
    }
    if about.markdown:
        rule["help"] = {"text": about.summary, "markdown": about.markdown}
    return rule


def _result(results: Results, finding: Finding, starts: Starts) -> Json:
    text = "\n".join((said(finding), *advice(results, finding), *sketched(finding)))
    result: Json = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.level],
        "message": {"text": text},
        "locations": [{"physicalLocation": _place(finding.location, finding.source_line)}],
    }
    if finding.fingerprint:
        result["partialFingerprints"] = {FINGERPRINT: finding.fingerprint}
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, **_step(step)}
            for number, step in enumerate(finding.related[:MOST_PLACES], 1)
        ]
    if finding.path:
        steps = (*finding.path[: MOST_PLACES - 1], Step(finding.location, finding.message))
        flow = [{"location": _step(step)} for step in steps]
        result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    if fixes := _fixes(finding, starts):
        result["fixes"] = fixes
    if finding.estimate:
        result["rank"] = round(100 * min(finding.estimate, 1.0), 1)
    return result


def _step(step: Step) -> Json:
    text = harmless(f"{in_cell(step.location)}{step.text}")
    return {"physicalLocation": _place(step.location), "message": {"text": text}}


def _place(location: Location, source_line: str = "") -> Json:
    place: Json = {"artifactLocation": _artifact(location.path)}
    if location.cell:
        place["region"] = {"startLine": line_in_file(location)}
        return place
    place["region"] = {
        "startLine": location.line,
        "startColumn": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }
    if source_line:
        place["contextRegion"] = {
            "startLine": location.line,
            "snippet": {"text": harmless(source_line)},
        }
    return place


def _artifact(path: str) -> Json:
    uri = quote(os.fsencode(path.replace(os.sep, "/")))
    if os.path.isabs(path):
        return {"uri": f"file://{'' if uri.startswith('/') else '/'}{uri}"}
    return {"uri": uri, "uriBaseId": "%SRCROOT%"}


def _fixes(finding: Finding, starts: Starts) -> list[Json]:
    """The fix and its alternative as SARIF has them, in lines and columns; none for a notebook's
    cells.
    """
    location = finding.location
    fixes = [fix for fix in (finding.fix, finding.guarded) if fix is not None]
    if not fixes or location.cell:
        return []
    begins = starts(location.path)
    if not begins:
        return []
    return [_fix(fix, location, begins) for fix in fixes]


def _fix(fix: Fix, location: Location, begins: Sequence[int]) -> Json:
    replacements = [
        {"deletedRegion": _region(begins, edit), "insertedContent": {"text": edit.text}}
        for edit in fix.edits
    ]
    safety = "" if fix.safety is Safety.SAFE else " (may change results)"
    return {
        "description": {"text": harmless(f"{fix.title}{safety}")},
        "artifactChanges": [
            {"artifactLocation": _artifact(location.path), "replacements": replacements}
        ],
    }


def _starts(text: str) -> Sequence[int]:
    return line_starts(text) if text else ()


def _region(starts: Sequence[int], edit: Edit) -> Json:
    (line, column), (end_line, end_column) = (
        _line_and_column(starts, offset) for offset in (edit.start, edit.end)
    )
    return {
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": end_column,
    }


def _line_and_column(starts: Sequence[int], offset: int) -> tuple[int, int]:
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def _notification(failure: Failure) -> Json:
    text = harmless(f"{in_cell(failure.location)}{failed(failure)}: {failure.message}")
    return {
        "level": "error" if failure.internal else "warning",
        "message": {"text": text},
        "locations": [{"physicalLocation": _place(failure.location)}],
    }
