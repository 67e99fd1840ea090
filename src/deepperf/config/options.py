"""What the user may set; each option is declared here, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deepperf.records import Level


class WrongUse(Exception):
    """The user asked for something that cannot be done; the message is one line for them.

    `about` is the setting's value that is wrong, where it may come from a file.
    """

    def __init__(self, message: str, about: str = "") -> None:
        super().__init__(message)
        self.about = about


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of one project.

    `select` and `ignore` hold names of rules, topics and causes; `framework_versions` maps a
    framework to a version or a specifier ("2.4", ">=2.4,<2.7") and outranks what the
    project's own metadata say; `per_file_ignores` maps a path pattern to selectors and
    `per_file_level` to the lowest level shown there; `baseline` is the path of a file with
    known findings, "" for none; `fail_on` is the lowest level that fails a check; `jobs` counts
    worker processes, 0 for one per core.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    preview: bool = False
    level: Level = Level.WARNING
    framework_versions: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    baseline: str = ""
    fail_on: Level = Level.NOTE
    per_file_level: Mapping[str, Level] = field(default_factory=dict)
    jobs: int = 0
    cache: bool = True
