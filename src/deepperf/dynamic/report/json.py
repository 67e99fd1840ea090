"""The report for other programs; `docs/run-report.md` says what its keys mean."""

from __future__ import annotations

import json
from typing import Any

from deepperf.dynamic.diagnosis import MOST_LINES, Diagnosis, busiest, parts_of_call
from deepperf.dynamic.join import Checked
from deepperf.dynamic.processes import unwatched_seconds
from deepperf.dynamic.recording.trace import Clock, ThreadTime, Trace
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
        "processes": [_process(trace) for trace in report.processes],
        "unwatched_cpu_seconds": unwatched_seconds(report.processes),
        "findings": [_diagnosis(item) for item in report.verdict.findings],
        "notes": [_diagnosis(item) for item in report.verdict.notes],
        "static": [_checked(item) for item in report.checked],
        "silenced": report.silenced,
        "remarks": list(report.remarks),
        "lines": [
            {
                "file": file,
                "line": line,
                "function": function,
                "share": share,
                "calls": dict(parts_of_call(report.trace, file, line)),
            }
            for file, line, function, share in report.verdict.lines
        ],
    }


def _run(trace: Trace) -> dict[str, Any]:
    return {
        "command": list(trace.command),
        "folder": trace.folder,
        "began": trace.began,
        "seconds": trace.seconds,
        "unwatched_seconds": trace.unwatched,
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
        "startup_cpu_seconds": trace.startup,
        "ended": trace.ended,
        "problems": list(trace.problems),
        "idle_seconds": trace.idle,
        "waited_seconds": trace.waited,
        "main_cpu_seconds": trace.main_cpu_seconds,
        "threads": [_thread(thread) for thread in trace.threads],
    }


def _process(trace: Trace) -> dict[str, Any]:
    return {
        "process": trace.process,
        "parent": trace.parent,
        "role": trace.role,
        "rank": trace.rank,
        "ranks": trace.ranks,
        "seconds": trace.seconds,
        "cpu_seconds": trace.cpu_seconds,
        "startup_cpu_seconds": trace.startup,
        "main_cpu_seconds": trace.main_cpu_seconds,
        "waited_seconds": trace.waited,
        "overhead_seconds": trace.overhead,
        "steps": dict(trace.steps),
        "lines": [
            {"file": file, "line": line, "function": function, "share": share}
            for file, line, function, share in busiest(trace)
        ],
    }


def _thread(thread: ThreadTime) -> dict[str, Any]:
    whole = max(1, sum(seen.own for seen in thread.samples))
    busiest = sorted(thread.samples, key=lambda seen: -seen.own)[:MOST_LINES]
    return {
        "name": thread.name,
        "count": thread.count,
        "cpu_seconds": thread.cpu_seconds,
        "lines": [
            {"file": seen.file, "line": seen.line, "share": seen.own / whole}
            for seen in busiest
            if seen.own
        ],
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
