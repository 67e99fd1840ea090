"""Files as a walk finds them.

These are named tuples: thousands are made in every run, and most runs do little else.
"""

from __future__ import annotations

import errno
import os
import stat
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
    files that had a say; `metadata` are the files that may say which versions count; `again` are
    links to files that are there by another name, too.
    """

    files: tuple[Entry, ...]
    failures: tuple[Failure, ...] = ()
    folders: tuple[tuple[str, int], ...] = ()
    marks: tuple[Entry, ...] = ()
    metadata: tuple[Entry, ...] = ()
    again: frozenset[str] = frozenset()


def relative_name(path: Path, root: Path) -> str:
    """The path from `root`, with slashes; "." for the root itself."""
    return os.path.relpath(os.path.abspath(path), root).replace(os.sep, "/")


def unusable(path: Path) -> str:
    """Why a path that was asked for cannot be checked; empty where it can."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        return "no such file or folder" if error.errno == errno.ENOENT else reason(error)
    usable = stat.S_ISDIR(mode) or stat.S_ISREG(mode)
    return "" if usable else "neither a file nor a folder"


def reason(error: OSError) -> str:
    """What the system says, in small letters as within a sentence."""
    return (error.strerror or str(error)).lower()
