"""Public training scripts, pinned like packages, and how each is run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deepperf.scan.corpus import CorpusError, Framework, Pinned

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN = "own"
"""The folder, beside the file, of scripts that follow a framework's tutorial."""


@dataclass(frozen=True, slots=True)
class Script:
    """A script that trains something, as its authors published it.

    `package` is where it comes from, None for one of ours, which follows `follows`. The folder
    `folder` of the package is copied to an empty place and `words` are run there, as in
    `python words…`, with what `data` makes; after `seconds` the run is interrupted. One that
    `is_clean` must give no finding.
    """

    name: str
    framework: Framework
    what: str
    words: tuple[str, ...]
    package: Pinned | None = None
    folder: str = "."
    follows: str = ""
    data: str = ""
    seconds: float = 60.0
    environment: Mapping[str, str] = field(default_factory=dict)
    is_clean: bool = False

    @property
    def version(self) -> str:
        return self.package.version if self.package else "-"


def load_scripts(path: Path) -> tuple[Script, ...]:
    """The scripts of a file, in its order. Raises `CorpusError` naming the entry."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    packages = {
        name: Pinned(name, framework=Framework(entry.pop("framework")), what=name, **entry)
        for name, entry in table.get("package", {}).items()
    }
    return tuple(
        _script(dict(entry), packages, f"{path}: script {number}")
        for number, entry in enumerate(table.get("script", []), start=1)
    )


def _script(entry: dict[str, Any], packages: Mapping[str, Pinned], place: str) -> Script:
    try:
        name = entry.pop("package", "")
        package = packages[name] if name else None
        words = tuple(entry.pop("words"))
        framework = Framework(entry.pop("framework"))
        is_clean = entry.pop("clean", False)
        return Script(words=words, framework=framework, package=package, is_clean=is_clean, **entry)
    except (KeyError, TypeError, ValueError) as error:
        raise CorpusError(f"{place}: {type(error).__name__}: {error}") from error
