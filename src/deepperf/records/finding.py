"""What `check` found."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from deepperf.records.fix import Fix
from deepperf.records.location import Location
from deepperf.records.share import Basis


class Level(enum.IntEnum):
    """How much a finding is worth to its reader; ordered."""

    NOTE = 1
    WARNING = 2
    ERROR = 3


class Role(enum.Enum):
    """What a file is for. Findings in tests and examples are rated `Level.NOTE`."""

    SOURCE = "source"
    TEST = "test"
    EXAMPLE = "example"


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """One step of the way from the cause to the place: "the loop here calls this there"."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One performance problem at one place.

    `message` says what is wrong here, in the present tense, in one line and with the user's
    own names; `remedy` says what to write instead; `path` leads from the loop or request
    that makes it costly to `location`, for findings that span functions, and is empty
    otherwise. `source_line` is the line of the user's code at `location`; `framework` is
    the one whose code it is about, "" when that is not known; `related` are further places of
    the same cause; `estimate` is the share of the time that it may cost, 0 when that is not
    known, and `basis` what that was computed from, where the table of costs was asked; no output
    prints it. `cause` is where that stands which is to be mended, where it is not `location`.
    `sketch` shows, where no fix can be mechanical, in some lines how to mend it: with the user's
    names, but not to be taken as it is. `guarded` is `fix` with a guard rail besides, which raises
    an error where the problem comes back: never made unless it is asked for by name.
    `fingerprint` and `statement` are digests of what is reported, with and without the
    function around it: they stay the same when code is moved or reformatted.
    """

    location: Location
    rule: str
    message: str
    remedy: str
    level: Level
    role: Role
    source_line: str
    path: tuple[Step, ...] = ()
    framework: str = ""
    fix: Fix | None = field(default=None, compare=False)
    guarded: Fix | None = field(default=None, compare=False)
    related: tuple[Step, ...] = ()
    sketch: str = field(default="", compare=False)
    estimate: float = field(default=0.0, compare=False)
    basis: Basis | None = field(default=None, compare=False)
    cause: Location | None = field(default=None, compare=False)
    fingerprint: str = field(default="", compare=False)
    statement: str = field(default="", compare=False)
