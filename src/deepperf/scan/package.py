"""What one task of a scan is given, and what it gives: values without logic."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

MEMORY = 3 * 1024**3
SECONDS = 60.0


class Form(enum.Enum):
    """How a package lies there."""

    FOLDER = "folder"
    ARCHIVE = "archive"
    COMMIT = "commit"


@dataclass(frozen=True, slots=True)
class Package:
    """One package to be scanned.

    `parts` names what counts below a folder, all of it if empty; `commit` is one of the clone at
    `path`. `size` is about how many bytes it has, for sharing out the work. `known` holds digests
    of trees that were scanned before: of one of these only its digest is told again. `lacking`
    says why it could not be had, empty where it lies there.
    """

    name: str
    version: str
    path: str
    form: Form = Form.FOLDER
    parts: tuple[str, ...] = ()
    commit: str = ""
    size: int = 0
    known: tuple[str, ...] = ()
    lacking: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return (self.name, self.version)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one package may take: bytes of address space, and seconds of CPU time.

    Of elapsed time, which a busy machine stretches, it may take `patience` times as much.
    """

    memory: int = MEMORY
    seconds: float = SECONDS
    patience: float = 10.0


@dataclass(frozen=True, slots=True)
class Batch:
    """Packages that one process of its own scans, one after the other.

    `engine` is the digest of the rules that must answer.
    """

    packages: tuple[Package, ...]
    limits: Limits
    engine: str


class State(enum.Enum):
    """How a task ended."""

    DONE = "done"
    SAME = "same as before"
    UNREADABLE = "unreadable"
    SLOW = "out of time"
    LARGE = "out of memory"
    KILLED = "killed"
    LOST = "lost"

    @property
    def is_known(self) -> bool:
        """Whether the rules have answered, now or before."""
        return self in (State.DONE, State.SAME)


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    """One finding in a package.

    `occurrence` counts from 1 the findings of the rule on lines with the same text in the
    same file: with it, a hit is known again when lines move. `steps` tell the way to it.
    """

    package: str
    version: str
    path: str
    line: int
    column: int
    rule: str
    level: str
    role: str
    message: str
    text: str
    occurrence: int
    steps: tuple[str, ...] = ()
    framework: str = ""
    estimate: float = 0.0
    fingerprint: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Trouble:
    """Something in a package that could not be read or checked."""

    package: str
    version: str
    path: str
    line: int
    message: str
    internal: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """What of a package is looked at: the digest of all names and bytes, and what they are.

    `year` is that of the newest file, 0 where that is not known; `left_out` are files that
    were too large, too many, or not to be trusted, with the reason.
    """

    digest: str = ""
    bytes: int = 0
    lines: int = 0
    files: int = 0
    year: int = 0
    frameworks: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Spent:
    """What a task took. `seconds` are CPU seconds of the check, `peak` is in bytes."""

    preparing: float = 0.0
    seconds: float = 0.0
    elapsed: float = 0.0
    peak: int = 0
    tries: int = 1


@dataclass(frozen=True, slots=True)
class Scanned:
    """What one package gave; `message` says why, where its state is not done."""

    package: str
    version: str
    state: State = State.DONE
    message: str = ""
    tree: Tree = field(default_factory=Tree)
    spent: Spent = field(default_factory=Spent)
    hits: tuple[Hit, ...] = ()
    troubles: tuple[Trouble, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        return (self.package, self.version)
