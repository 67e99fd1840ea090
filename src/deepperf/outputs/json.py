"""For programs: one JSON document with a version; keys are only ever added to one version.

`report.schema.json` beside this file is its JSON schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from deepperf.outputs.paint import Paint
from deepperf.outputs.results import Results, failures, shown
from deepperf.records import Failure, Finding, Fix, Location, Step
from deepperf.rules.evidence import Evidence, sentence, status

VERSION = 2


def lines(results: Results, paint: Paint) -> Iterator[str]:  # noqa: ARG001 - one signature
    """The document on several lines, plain ASCII, in a stable order."""
    yield json.dumps(document(results), indent=1)


def document(results: Results) -> dict[str, Any]:
    """The document as Python values. Offsets of edits count characters of the file's text."""
    findings = shown(results)
    return {
        "version": VERSION,
        "files": sum(not report.left_out for report in results.reports),
        "left_out": sum(report.left_out for report in results.reports),
        "hidden": sum(len(report.hidden) for report in results.reports),
        "suppressed": sum(len(report.suppressed) for report in results.reports),
        "internal_errors": sum(f.internal for report in results.reports for f in report.failures),
        "known": sum(len(report.known) for report in results.reports),
        "findings": [_finding(finding) for finding in findings],
        "failures": [_failure(failure) for failure in failures(results)],
        "rules": {
            rule: _evidence(results.evidence[rule])
            for rule in sorted({finding.rule for finding in findings})
            if rule in results.evidence
        },
    }


def _location(location: Location) -> dict[str, Any]:
    place = {
        "path": location.path,
        "line": location.line,
        "column": location.column,
        "end_line": location.end_line,
        "end_column": location.end_column,
    }
    return {**place, "cell": location.cell} if location.cell else place


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "level": finding.level.name.lower(),
        "role": finding.role.value,
        "location": _location(finding.location),
        "message": finding.message,
        "remedy": finding.remedy,
        "source_line": finding.source_line,
        "framework": finding.framework,
        "estimate": finding.estimate,
        "fingerprint": finding.fingerprint,
        "path": [_step(step) for step in finding.path],
        "related": [_step(step) for step in finding.related],
        "sketch": finding.sketch,
        "fix": None if finding.fix is None else _fix(finding.fix),
        "guarded": None if finding.guarded is None else _fix(finding.guarded),
    }


def _step(step: Step) -> dict[str, Any]:
    return {"location": _location(step.location), "text": step.text}


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "title": fix.title,
        "safety": fix.safety.value,
        "edits": [{"start": e.start, "end": e.end, "text": e.text} for e in fix.edits],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "location": _location(failure.location),
        "message": failure.message,
        "internal": failure.internal,
        "attempt": failure.attempt.value,
        "rule": failure.rule,
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {"status": status(evidence).value, "sentence": sentence(evidence)}
