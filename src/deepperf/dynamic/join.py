"""What the static rules say of the lines that ran: confirmed, refuted, or not reached."""

from __future__ import annotations

import os
from dataclasses import replace

from deepperf.config.options import WrongUse
from deepperf.dynamic.diagnosis import Diagnosis, Standing, Verdict, Weight, share_of
from deepperf.dynamic.trace import Trace
from deepperf.records import Finding, Level

NEAR = 3
"""Lines between a static finding and an observation that may speak of the same thing."""
COSTS_NOTHING = 0.005


def joined(trace: Trace, verdict: Verdict) -> Verdict:
    """The verdict with each diagnosis that a static finding confirms marked, and, as notes, the
    static findings of lines that ran and cost nothing, or did not run."""
    found = static_findings(trace)
    confirmed: set[Finding] = set()

    def stand(item: Diagnosis) -> Diagnosis:
        for path, finding in found:
            if _speak_of_same(item, path, finding):
                confirmed.add(finding)
                return replace(item, standing=Standing.CONFIRMED)
        return item

    findings = tuple(map(stand, verdict.findings))
    notes = [stand(item) for item in verdict.notes]
    notes += [_alone(trace, path, finding) for path, finding in found if finding not in confirmed]
    return Verdict(findings, tuple(notes), verdict.lines)


def static_findings(trace: Trace) -> tuple[tuple[str, Finding], ...]:
    """What `check` says, by file, of the files that ran."""
    from deepperf.check.paths import check_paths

    files = sorted({entry.file for entry in trace.samples if os.path.isfile(entry.file)})
    found: list[tuple[str, Finding]] = []
    try:
        reports = check_paths(files) if files else ()
    except WrongUse:
        return ()
    for report in reports:
        path = os.path.abspath(report.path)
        found += [(path, f) for f in report.findings if path in files and f.level >= Level.NOTE]
    return tuple(found)


def _speak_of_same(item: Diagnosis, path: str, finding: Finding) -> bool:
    return (
        item.file == path
        and item.rule == finding.rule
        and finding.location.line - NEAR <= item.line <= finding.location.end_line + NEAR
    )


def _alone(trace: Trace, path: str, finding: Finding) -> Diagnosis:
    """A static finding that no signal speaks of."""
    share = _share_within(trace, path, finding)
    if share is None:
        said = "not reached in this run"
    elif share < COSTS_NOTHING:
        said = "refuted: it runs and costs next to nothing here"
    else:
        said = f"its line takes {share:.0%} of the time"
    return Diagnosis(
        signal="check",
        cause="",
        file=path,
        line=finding.location.line,
        function="",
        message=f"{finding.rule}: {finding.message}",
        evidence=said,
        remedy=finding.remedy,
        weight=Weight.HINT,
        share=share or 0.0,
        rule=finding.rule,
    )


def _share_within(trace: Trace, path: str, finding: Finding) -> float | None:
    """The share of time at the finding's lines; None where none of its function was seen."""
    lines = range(finding.location.line, finding.location.end_line + 1)
    shares = [share_of(trace, path, line) for line in lines]
    if any(shares):
        return max(shares)
    seen = {entry.line for entry in trace.samples if entry.file == path}
    reached = any(abs(line - finding.location.line) <= NEAR for line in seen)
    return 0.0 if reached else None
