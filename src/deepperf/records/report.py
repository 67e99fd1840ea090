"""What checking one file gave."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from deepperf.records.finding import Finding, Level
from deepperf.records.location import Location


class Attempt(enum.Enum):
    """What was tried with a file and failed."""

    CHECK = "checked"
    FIX = "fixed"


@dataclass(frozen=True, slots=True, order=True)
class Failure:
    """Something that could not be read, parsed, checked or fixed; `message` says why.

    `internal` marks a crash of ours, as against bad input; `rule` is the rule that crashed, ""
    where all of the file may be unchecked. No finding above `level` is missing for it.
    """

    location: Location
    message: str
    internal: bool = False
    attempt: Attempt = field(default=Attempt.CHECK, compare=False)
    rule: str = field(default="", compare=False)
    level: Level = field(default=Level.ERROR, compare=False)


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of one file, in order, those suppressed by a comment, and what failed.

    A file is `left_out` if it says that a program wrote it, and was not given by name. `hidden`
    are findings below the level shown, `known` those that a baseline or a revision had before.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()
    left_out: bool = False
    hidden: tuple[Finding, ...] = ()
    known: tuple[Finding, ...] = ()
