"""What every output format is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deepperf.records import Attempt, Finding, Level, Report, Role, Safety

if TYPE_CHECKING:
    from deepperf.rules.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Results:
    """The reports of a run, in order of path and of every level, and what to show of them.

    `level` is the lowest level shown; `evidence` is what was measured of each rule, by name.
    """

    reports: tuple[Report, ...]
    level: Level
    evidence: Mapping[str, Evidence]


def shown(results: Results) -> tuple[Finding, ...]:
    """The findings to show, in order."""
    level = results.level
    return tuple(f for report in results.reports for f in report.findings if f.level >= level)


def hidden(results: Results) -> tuple[Finding, ...]:
    """The findings below the level shown."""
    level = results.level
    return tuple(f for report in results.reports for f in report.findings if f.level < level)


def summary(results: Results) -> str:
    """How much was found, in how many files, what is hidden and what can be fixed."""
    findings = shown(results)
    left_out = sum(report.left_out for report in results.reports)
    parts = [_found(findings, len(results.reports) - left_out)]
    if left_out:
        parts.append(f"{counted(left_out, 'generated file')} left out")
    withheld = hidden(results)
    if withheld:
        aside = sum(finding.role is not Role.SOURCE for finding in withheld)
        where = " in tests and examples" if aside == len(withheld) else ""
        lowest = min(finding.level for finding in withheld).name.lower()
        parts.append(f"{counted(len(withheld), 'hidden note')}{where}: show with --level {lowest}")
    suppressed = sum(len(report.suppressed) for report in results.reports)
    if suppressed:
        parts.append(f"{suppressed} silenced by comments")
    failures = [failure for report in results.reports for failure in report.failures]
    for attempt in Attempt:
        failed = len({f.location.path for f in failures if f.attempt is attempt})
        if failed:
            parts.append(f"{counted(failed, 'file')} not fully {attempt.value}")
    crashes = sum(failure.internal for failure in failures)
    if crashes:
        parts.append(counted(crashes, "internal error"))
    safe = sum(f.fix is not None and f.fix.safety is Safety.SAFE for f in findings)
    unsafe = sum(f.fix is not None and f.fix.safety is Safety.UNSAFE for f in findings)
    if safe:
        parts.append(f"{safe} fixable with --fix")
    if unsafe:
        parts.append(f"{unsafe} {'more ' if safe else ''}with --unsafe-fixes")
    return "; ".join(parts) + "."


def _found(findings: tuple[Finding, ...], files: int) -> str:
    if not files:
        return "Nothing to check: no Python file or notebook that is not left out"
    if not findings:
        return f"Nothing found in {counted(files, 'file')}"
    within = len({finding.location.path for finding in findings})
    return f"{counted(len(findings), 'finding')} in {within} of {counted(files, 'file')}"


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 file", "2,000 files"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
