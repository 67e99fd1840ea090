"""GitLab's code quality report, which merge requests show beside the changed lines."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from deepperf.outputs.annotated import advice, in_cell, line_in_file, said
from deepperf.outputs.paint import Paint, harmless
from deepperf.outputs.results import Results, failed, failures, shown
from deepperf.records import Level, Location

_SEVERITIES = {Level.ERROR: "critical", Level.WARNING: "major", Level.NOTE: "info"}


def lines(results: Results, paint: Paint) -> Iterator[str]:  # noqa: ARG001 - one signature
    """The report on several lines."""
    yield json.dumps(list(_issues(results)), indent=1)


def _issues(results: Results) -> Iterator[dict[str, Any]]:
    met: Counter[str] = Counter()

    def issue(at: Location, name: str, text: str, severity: str, same: str) -> dict[str, Any]:
        met[same] += 1
        # GitLab takes two issues with one fingerprint for one.
        digest = hashlib.sha256(f"{same} {met[same]}".encode("utf-8", "backslashreplace"))
        lines = {"begin": at.line, "end": at.end_line}
        if at.cell:
            lines = dict.fromkeys(lines, line_in_file(at))
        return {
            "description": text,
            "check_name": name,
            "fingerprint": digest.hexdigest(),
            "severity": severity,
            "location": {"path": harmless(at.path), "lines": lines},
        }

    for failure in failures(results):
        text = harmless(f"{in_cell(failure.location)}{failed(failure)}: {failure.message}")
        severity = "critical" if failure.internal else "minor"
        same = f"{failure.location.path} {text}"
        yield issue(failure.location, "not-checked", text, severity, same)
    for finding in shown(results):
        text = ". ".join((said(finding), *advice(results, finding)))
        same = finding.fingerprint or f"{finding.location} {finding.rule}"
        yield issue(finding.location, finding.rule, text, _SEVERITIES[finding.level], same)
