"""What every output format is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from deepperf.records import Attempt, Failure, Finding, Report, Role, Safety

if TYPE_CHECKING:
    from deepperf.rules.evidence import Evidence


class Results(Struct, frozen=True):
    """The reports of a run in order of path, and what was measured of each rule, by name.

    `text` tells the text of a file, or of one cell of a notebook where that is not 0; "" where
    it cannot be had. `wants_sketches` is for the format that people read at a prompt.
    """

    reports: tuple[Report, ...]
    evidence: Mapping[str, Evidence]
    text: Callable[[str, int], str] = lambda path, cell: ""  # noqa: ARG005
    wants_sketches: bool = False


def shown(results: Results) -> tuple[Finding, ...]:
    """The findings to show: the worst level first, then the costliest, then by place."""
    return worst_first(finding for report in results.reports for finding in report.findings)


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings, in order of place, sorted by level and estimate."""
    return tuple(sorted(findings, key=lambda finding: (-finding.level, -finding.estimate)))


def failures(results: Results) -> tuple[Failure, ...]:
    """What could not be read, checked or fixed, in order of path."""
    return tuple(failure for report in results.reports for failure in report.failures)


def failed(failure: Failure) -> str:
    """What became of the file of a failure, in a word or two."""
    return "internal error" if failure.internal else f"not {failure.attempt.value}"


def summary(results: Results) -> str:
    """How much was found, in how many files, what is hidden and what can be fixed."""
    findings = shown(results)
    left_out = sum(report.left_out for report in results.reports)
    parts = [_found(findings, len(results.reports) - left_out)]
    if left_out:
        parts.append(f"{counted(left_out, 'generated file')} left out")
    withheld = [finding for report in results.reports for finding in report.hidden]
    if withheld:
        aside = sum(finding.role is not Role.SOURCE for finding in withheld)
        where = " in tests and examples" if aside == len(withheld) else ""
        lowest = min(finding.level for finding in withheld).name.lower()
        parts.append(f"{counted(len(withheld), 'hidden note')}{where}: show with --level {lowest}")
    suppressed = sum(len(report.suppressed) for report in results.reports)
    if suppressed:
        parts.append(f"{suppressed} silenced by comments")
    known = sum(len(report.known) for report in results.reports)
    if known:
        parts.append(f"{known} known before")
    for attempt in Attempt:
        paths = {f.location.path for f in failures(results) if f.attempt is attempt}
        if paths:
            parts.append(f"{counted(len(paths), 'file')} not fully {attempt.value}")
    crashes = sum(failure.internal for failure in failures(results))
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
