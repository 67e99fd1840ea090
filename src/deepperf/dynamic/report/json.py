"""The report for other programs; `docs/run-report.md` says what its keys mean."""

from __future__ import annotations

import json
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.join import Checked
from deepperf.dynamic.recording.trace import Clock, Trace
from deepperf.dynamic.report import Report, Screen

VERSION = 1
"""Keys are only ever added to one version."""


def show(report: Report, _: Screen) -> str:
    """The report as JSON, of every level: the run, findings, notes, and busiest lines."""
    return json.dumps(document(report), indent=2) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The document as Python values."""
    return {
        "version": VERSION,
        "run": _run(report.trace),
        "findings": [_diagnosis(item) for item in report.verdict.findings],
        "notes": [_diagnosis(item) for item in report.verdict.notes],
        "static": [_checked(item) for item in report.checked],
        "silenced": report.silenced,
        "remarks": list(report.remarks),
        "lines": [
            {"file": file, "line": line, "function": function, "share": share}
            for file, line, function, share in report.verdict.lines
        ],
    }


def _run(trace: Trace) -> dict[str, Any]:
    return {
        "command": list(trace.command),
        "folder": trace.folder,
        "began": trace.began,
        "seconds": trace.seconds,
        "importing_seconds": trace.importing,
        "cpu_seconds": trace.cpu_seconds,
        "coreless_seconds": trace.coreless,
        "python": trace.python,
        "versions": dict(trace.versions),
        "machine": dict(trace.machine),
        "steps": dict(trace.steps),
        "clock": None if trace.clock is None else _clock(trace.clock),
        "memory": [list(point) for point in trace.memory],
        "peak_bytes": trace.peak,
        "overhead_seconds": trace.overhead,
        "ended": trace.ended,
        "problems": list(trace.problems),
    }


def _clock(clock: Clock) -> dict[str, Any]:
    return {
        "name": clock.name,
        "count": clock.count,
        "first": clock.first,
        "last": clock.last,
        "points": [list(point) for point in clock.points],
    }


def _diagnosis(item: Diagnosis) -> dict[str, Any]:
    return {
        "signal": item.signal,
        "rule": item.rule,
        "cause": item.cause,
        "file": item.file,
        "line": item.line,
        "function": item.function,
        "message": item.message,
        "evidence": item.evidence,
        "remedy": item.remedy,
        "weight": item.weight.value,
        "share": item.share,
        "standing": item.standing.value,
    }


def _checked(item: Checked) -> dict[str, Any]:
    return {
        "rule": item.rule,
        "file": item.file,
        "line": item.line,
        "message": item.message,
        "outcome": item.outcome.value,
        "said": item.said,
        "share": item.share,
    }
