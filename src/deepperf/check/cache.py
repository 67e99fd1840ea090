"""Remembers reports between runs, in one folder per project in the user's cache folder.

Each file there begins with a digest of the rest, and what is read is validated by type: a file
that is damaged, edited or of another make is as good as none. No link is followed, and nothing
deleted that was not written here.
"""

from __future__ import annotations

import enum
import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from deepperf import __version__
from deepperf.records import Report

Content = TypeVar("Content")

FOLDER_VARIABLE = "DEEPPERF_CACHE_DIR"
"""The environment variable that puts all caches elsewhere; no project's settings can."""
FORMAT = 7
KEPT = 16
"""Files kept per project: two for each set of options used of late, and the walks."""

_SIGNATURE = b"deepperf cache "
_OWN_NAME = re.compile(r"(walk-)?[0-9a-f]{16}(-grounds)?\.(cache|\d+\.tmp)")
_TAG = """Signature: 8a477f597d28d172789f06886806bc55
# This folder holds what deepperf remembers of its last runs; it may be deleted at any time.
"""


class State(enum.IntEnum):
    """What is known of a file."""

    UNCHECKED = 0
    IRRELEVANT = 1
    CHECKED = 2


class Mark(NamedTuple):
    """What a run that changes nothing asks of a file; `report` is None for an empty one.

    `generated` is whether a program wrote the file. Named tuples, for some thousands are made from
    JSON at every start.
    """

    size: int
    mtime_ns: int
    state: int
    report: Report | None
    generated: bool = False


class Rests(NamedTuple):
    """What a report depends on beside its file.

    `touched` are files whose content was used, `parts` those of which only what they say of
    certain functions and names was; `asked` and `named` are words: a report depends on what
    files say that have one of the former, and on which files have one of the latter.
    `frameworks` stands for those of which something was known.
    """

    touched: list[str]
    parts: list[str]
    asked: list[str]
    named: list[str]
    frameworks: str


class Record(NamedTuple):
    """What one run learnt of one file: its mark, and what the report rests on.

    `links` stands for the files of the project that it imports, `pieces` for its statements.
    """

    mark: Mark
    digest: str
    links: str
    pieces: str
    rests: Rests


def cache_key(*parts: object) -> str:
    """A name for everything besides the files that a report depends on."""
    whole = (FORMAT, __version__, sys.version_info[:3], *parts)
    return hashlib.blake2b(
        repr(whole).encode("utf-8", "backslashreplace"), digest_size=8
    ).hexdigest()


def digest_of(data: bytes) -> str:
    """A short hash of a file's content."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def package_stamp(folder: Path | None = None) -> str:
    """A hash of the names, sizes and dates of our own code, tables and evidence."""
    folder = folder or Path(__file__).parents[1]
    marks = hashlib.blake2b(digest_size=8)
    for path, status in sorted(_package_files(str(folder))):
        marks.update(f"{path}\0{status}\0".encode("utf-8", "surrogateescape"))
    return marks.hexdigest()


def _package_files(folder: str) -> Iterator[tuple[str, str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _package_files(entry.path)
            elif entry.name.endswith((".py", ".toml", ".json")):
                status = entry.stat()
                yield entry.path, f"{status.st_size} {status.st_mtime_ns}"


def cache_folder(root: Path) -> Path:
    """Where the cache of the project at `root` lies, in the user's cache folder."""
    base = os.environ.get(FOLDER_VARIABLE)
    if not base:
        import platformdirs

        base = platformdirs.user_cache_dir("deepperf", appauthor=False)
    place = os.fsencode(os.path.realpath(root))
    return Path(base) / hashlib.blake2b(place, digest_size=8).hexdigest()


def load(folder: Path, name: str, kind: type[Content]) -> Content | None:
    """What was saved under a name; None where there is nothing, or nothing of that kind."""
    import msgspec

    path = folder / f"{name}.cache"
    try:
        if not (_is_folder(folder) and stat.S_ISREG(os.lstat(path).st_mode)):
            return None
        head, _, body = path.read_bytes().partition(b"\n")
        if head != _head(folder, name, body):
            return None
        return msgspec.convert(json.loads(body), kind)
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError):
        return None


def save(folder: Path, name: str, content: object) -> None:
    """Leave something for the next run; does nothing where that is not possible."""
    import msgspec

    temporary = folder / f"{name}.{os.getpid()}.tmp"
    try:
        if not os.path.lexists(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700)
            (folder / "CACHEDIR.TAG").write_text(_TAG, encoding="utf-8")
        if not _is_folder(folder):
            return
        body = json.dumps(msgspec.to_builtins(content), separators=(",", ":")).encode("ascii")
        with temporary.open("xb") as stream:
            stream.write(_head(folder, name, body) + b"\n" + body)
        os.replace(temporary, folder / f"{name}.cache")
        _prune(folder)
    except (OSError, ValueError, msgspec.MsgspecError):
        return


def _is_folder(path: Path) -> bool:
    """Whether it is a folder itself, not a link to one."""
    return stat.S_ISDIR(os.lstat(path).st_mode)


def _head(folder: Path, name: str, body: bytes) -> bytes:
    """The first line of a file, which holds for its content, its name and its project."""
    place = f"{folder.name}/{name}\n".encode()
    return _SIGNATURE + digest_of(place + body).encode("ascii")


def _prune(folder: Path) -> None:
    """Delete all but the newest files that were written here."""
    with os.scandir(folder) as entries:
        own = [
            (entry.stat(follow_symlinks=False).st_mtime_ns, entry.path)
            for entry in entries
            if _OWN_NAME.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)
        ]
    for _, path in sorted(own)[:-KEPT]:
        with open(path, "rb") as stream:
            is_ours = stream.read(len(_SIGNATURE)) == _SIGNATURE
        if is_ours:
            os.unlink(path)


Grounds = tuple[str, str, str, Rests]
"""What a record holds besides its mark."""


def load_marks(folder: Path, key: str) -> Mapping[str, Mark]:
    """The marks that the last run with this key left, or nothing."""
    _, marks = _load_marks(folder, key)
    return marks


def load_records(folder: Path, key: str) -> Mapping[str, Record]:
    """All that the last run with this key left, or nothing."""
    run, marks = _load_marks(folder, key)
    grounds = load(folder, key + _GROUNDS, tuple[str, dict[str, Grounds]])
    if grounds is None or grounds[0] != run or grounds[1].keys() != marks.keys():
        return {}
    return {path: Record(mark, *grounds[1][path]) for path, mark in marks.items()}


def _load_marks(folder: Path, key: str) -> tuple[str, Mapping[str, Mark]]:
    saved = load(folder, key, tuple[str, dict[str, Mark]])
    if saved is None:
        return "", {}
    if any(mark.report and mark.report.path != path for path, mark in saved[1].items()):
        return "", {}
    return saved


def save_records(folder: Path, key: str, records: Mapping[str, Record], now: int) -> None:
    """Leave records for the next run. `now`, in nanoseconds, is from before files were read:
    the date of a file written since then is not trusted, for another change may bear it.

    What reports rest on is many times as long as the marks, and read only after a change: it
    lies apart. What two runs at a time leave of each other is told by the run's number.
    """
    run = f"{now}-{os.getpid()}"
    marks = {
        path: mark if mark.mtime_ns < now - 100_000_000 else mark._replace(mtime_ns=0)
        for path, (mark, *_) in records.items()
    }
    grounds = {path: record[1:] for path, record in records.items()}
    save(folder, key + _GROUNDS, (run, grounds))
    save(folder, key, (run, marks))


_GROUNDS = "-grounds"
