"""Files as a walk finds them.

These are named tuples: thousands are made in every run, and most runs do little else.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
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
    """The path from `root`, with slashes; "." for the root itself.

    On Windows what lies on another drive has no such path, and keeps its own.
    """
    whole = os.path.abspath(path)
    try:
        name = os.path.relpath(whole, root)
    except ValueError:
        name = whole
    return composed(name.replace(os.sep, "/"))


def composed(name: str) -> str:
    """A file's name in the letters that an import of it has.

    macOS may tell it with accents apart, and opens it by either.
    """
    if name.isascii() or "darwin" not in sys.platform:
        return name
    import unicodedata

    return unicodedata.normalize("NFC", name)


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
