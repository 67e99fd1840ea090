"""What lies in a folder or an archive that nobody vouched for, a file at a time.

Links and what is no file are not there. Nothing is decompressed before its size is known.
"""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from deepperf.check.discover import LEFT_OUT
from deepperf.scan.corpus import CorpusError

LARGEST_ARCHIVE = 8 * 1024**3
MOST_MEMBERS = 500_000
DEEPEST = 60


class Unreadable(CorpusError):
    """A package that cannot be opened; the message is one line that names it."""


class Member(NamedTuple):
    """One file: its name with slashes, its size in bytes, and the year of its date, 0 unknown."""

    name: str
    size: int
    year: int
    read: Callable[[], bytes]


def folder_members(folder: Path, parts: tuple[str, ...] = ()) -> Iterator[Member]:
    """The files at or below `parts` of a folder, all by default; no link is followed."""
    # A name that was given is taken, whatever it leads to; what lies below is not.
    pending = [(os.path.join(folder, part), part) for part in parts or ("",)]
    seen = 0
    while pending:
        place, name = pending.pop()
        try:
            if os.path.isfile(place):
                yield _file(place, name)
                continue
            with os.scandir(place) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            if name in parts or not name:
                raise Unreadable(f"{folder}: {error.strerror or error}") from None
            continue
        for entry in entries:
            seen += 1
            if seen > MOST_MEMBERS:
                raise Unreadable(f"{folder}: more than {MOST_MEMBERS:,} files")
            below = f"{name}/{entry.name}" if name else entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in LEFT_OUT and below.count("/") < DEEPEST:
                        pending.append((entry.path, below))
                elif entry.is_file(follow_symlinks=False):
                    yield _file(entry.path, below)
            except OSError:
                continue


def _file(place: str, name: str) -> Member:
    return Member(name, os.stat(place).st_size, 0, lambda: _read(place))


def _read(place: str) -> bytes:
    # Between the listing and now it may have become a link, or a pipe that never ends.
    handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError("no file any more")
        return stream.read()


def archive_members(archive: Path) -> Iterator[Member]:
    """The files of a zip or tar archive, whose content is read while it is iterated.

    Raises `Unreadable` for one that is broken, or larger unpacked than anything honest.
    """
    is_zip = archive.suffix in (".whl", ".zip")
    total = 0
    try:
        for number, member in enumerate(_zip(archive) if is_zip else _tar(archive)):
            total += member.size
            if total > LARGEST_ARCHIVE or number > MOST_MEMBERS:
                raise Unreadable(f"{archive.name}: larger unpacked than any package")
            if member.name:
                yield member
    except (Unreadable, MemoryError):
        raise
    except Exception as error:
        # What a broken archive makes the libraries raise, no list is long enough for.
        raise Unreadable(f"{archive.name}: {' '.join(str(error).split())}") from error


def _zip(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            is_link = stat.S_ISLNK(info.external_attr >> 16)
            name = "" if info.is_dir() or is_link else info.filename

            def read(info: zipfile.ZipInfo = info) -> bytes:
                with opened.open(info) as stream:
                    # It may hold more than it declares.
                    return stream.read(info.file_size)

            yield Member(name, info.file_size, info.date_time[0], read)


def _tar(archive: Path) -> Iterator[Member]:
    with tarfile.open(archive) as opened:
        for info in opened:
            name = info.name if info.isreg() else ""

            def read(info: tarfile.TarInfo = info) -> bytes:
                stream = opened.extractfile(info)
                return stream.read() if stream is not None else b""

            year = 1970 + int(info.mtime // 31_556_952) if info.mtime > 0 else 0
            yield Member(name, info.size, year, read)
