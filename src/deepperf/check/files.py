"""Files as a walk finds them.

These are named tuples: thousands are made in every run, and most runs do little else.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from deepperf.records import Failure


class Entry(NamedTuple):
    """A file found: its path from the root, with slashes, its size in bytes and its date."""

    path: str
    size: int
    mtime_ns: int


class Found(NamedTuple):
    """The files below a root, in order of path, and what could not be read.

    `folders` are those that were walked, with their dates from before; `marks` are the ignore
    files that had a say; `metadata` are the files that may say which versions count.
    """

    files: tuple[Entry, ...]
    failures: tuple[Failure, ...] = ()
    folders: tuple[tuple[str, int], ...] = ()
    marks: tuple[Entry, ...] = ()
    metadata: tuple[Entry, ...] = ()


def relative_name(path: Path, root: Path) -> str:
    """The path from `root`, with slashes; "." for the root itself."""
    return os.path.relpath(os.path.abspath(path), root).replace(os.sep, "/")
