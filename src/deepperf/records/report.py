"""What checking one file gave."""

from __future__ import annotations

from dataclasses import dataclass

from deepperf.records.finding import Finding
from deepperf.records.location import Location


@dataclass(frozen=True, slots=True, order=True)
class Failure:
    """Something that could not be read, parsed or checked, in one line that names it.

    `internal` marks a crash of ours (exit code 3), as against bad input.
    """

    location: Location
    message: str
    internal: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of one file, in order, those suppressed by a comment, and what failed."""

    path: str
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()
