"""The report for other programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Verdict
from deepperf.dynamic.trace import Trace

VERSION = 1


def show(trace: Trace, verdict: Verdict) -> str:
    """The report as JSON: the run, its findings and notes, and its busiest lines."""
    data = {
        "version": VERSION,
        "run": {
            "command": trace.command,
            "folder": trace.folder,
            "began": trace.began,
            "seconds": trace.seconds,
            "cpu_seconds": trace.cpu_seconds,
            "python": trace.python,
            "versions": trace.versions,
            "machine": trace.machine,
            "steps": trace.steps,
            "peak_bytes": max((held for _, held in trace.memory), default=0),
            "overhead_seconds": trace.overhead,
            "ended": trace.ended,
            "problems": trace.problems,
        },
        "findings": [_item(item) for item in verdict.findings],
        "notes": [_item(item) for item in verdict.notes],
        "lines": [
            {"file": file, "line": line, "function": function, "share": share}
            for file, line, function, share in verdict.lines
        ],
    }
    return json.dumps(data, indent=2) + "\n"


def _item(item: Diagnosis) -> dict[str, Any]:
    return {**asdict(item), "weight": item.weight.value, "standing": item.standing.value}
