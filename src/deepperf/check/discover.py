"""Finds the files to check: folders are walked, ignore files honoured, folder links left."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from deepperf.check.files import Entry, Found, composed, reason, relative_name, unusable
from deepperf.check.patterns import matcher
from deepperf.check.versions import LARGEST_BYTES, is_version_file
from deepperf.config.options import Options, WrongUse
from deepperf.records import Failure, Location

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

Value = TypeVar("Value")
SUFFIXES = (".py", ".ipynb")
LEFT_OUT = frozenset(
    {
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "__pypackages__",
        "dist-packages",
        "node_modules",
        "site-packages",
        "venv",
    }
)
IGNORE_FILE = ".gitignore"
_LOCK = ".#"  # Emacs leaves such links, which lead nowhere, beside files that are being edited


class _Ignore(Struct, frozen=True):
    """One ignore file: the folder it rules, and its patterns."""

    folder: str
    spec: GitIgnoreSpec


def discover(root: Path, starts: Sequence[Path], options: Options) -> Found:
    """The files to check at or below `starts`, all of which lie in `root`.

    A file named by itself is taken whatever its name, ignore files notwithstanding, unless
    `options.exclude` says no. Raises `WrongUse` for a start that does not exist or is neither
    file nor folder.
    """
    excluded = matcher(tuple(_below(root, pattern) for pattern in options.exclude))
    walk = _Walk(str(root), matcher(options.include), excluded, {}, {}, {}, {}, {}, set())
    real = os.path.realpath(root)
    named: list[str] = []
    rounds: list[list[str]] = []
    for start in starts:
        if why := unusable(start):
            raise WrongUse(f"{start}: {why}")
        found = os.stat(start)
        name = relative_name(start, root)
        before = len(walk.files)
        if stat.S_ISDIR(found.st_mode):
            _descend(walk, name, found.st_mtime_ns)
        elif not excluded(name):
            walk.files[name] = Entry(name, found.st_size, found.st_mtime_ns)
            named.append(name)
        rounds.append(list(walk.files)[before:])
        if os.path.realpath(start) != os.path.normpath(os.path.join(real, name)):
            walk.links.update(rounds[-1])
    return Found(
        _in_order(walk.files),
        _in_order(walk.failures),
        tuple(sorted(walk.folders.items())),
        _in_order(walk.marks),
        _in_order(walk.metadata),
        _met_again(real, walk.links, named, rounds),
    )


def _met_again(
    real: str, links: set[str], named: Sequence[str], rounds: Sequence[Sequence[str]]
) -> frozenset[str]:
    """The names of files that another name stands for.

    It is one that was given, else one that was found below an earlier start, else the file's own
    before a link.
    """
    if not links:
        return frozenset()
    found = (path for names in rounds for path in sorted(names, key=lambda p: (p in links, p)))
    known: set[str] = set()
    again: set[str] = set()
    for path in dict.fromkeys((*named, *found)):
        whole = os.path.join(real, path)
        place = os.path.realpath(whole) if path in links else whole
        if place in known:
            again.add(path)
        known.add(place)
    return frozenset(again)


def _below(root: Path, pattern: str) -> str:
    """A pattern as it counts from the root, which an absolute path to something in it does not."""
    pattern = pattern.replace(os.sep, "/")
    start = str(root).replace(os.sep, "/").rstrip("/") + "/"
    return f"/{pattern.removeprefix(start)}" if pattern.startswith(start) else pattern


def _in_order(items: Mapping[str, Value]) -> tuple[Value, ...]:
    return tuple(items[name] for name in sorted(items))


def neighbours(root: Path, folder: Path) -> tuple[Entry, ...]:
    """The Python files in `folder` and in its immediate subfolders."""
    files = []
    pending = [(str(folder), 1)]
    while pending:
        place, depth = pending.pop()
        try:
            with os.scandir(place) as listing:
                for entry in listing:
                    if entry.name.endswith(SUFFIXES) and entry.is_file():
                        status = entry.stat()
                        name = relative_name(Path(entry.path), root)
                        files.append(Entry(name, status.st_size, status.st_mtime_ns))
                    elif depth and _leads_on(entry):
                        pending.append((entry.path, depth - 1))
        except OSError:
            continue
    return tuple(files)


class _Walk(Struct, frozen=True):
    """A walk in progress: its limits, and by path what it has met so far."""

    root: str
    included: Callable[[str], bool]
    excluded: Callable[[str], bool]
    files: dict[str, Entry]
    failures: dict[str, Failure]
    folders: dict[str, int]
    marks: dict[str, Entry]
    metadata: dict[str, Entry]
    links: set[str]


def _descend(walk: _Walk, start: str, mtime_ns: int) -> None:
    """Walk all that lies at or below the folder `start`."""
    prefix = "" if start == "." else start + "/"
    folder = os.path.join(walk.root, start) if prefix else walk.root
    stack = [(folder, prefix, mtime_ns, _ignores_above(walk, start))]
    while stack:
        folder, prefix, mtime_ns, ignores = stack.pop()
        walk.folders[prefix] = mtime_ns
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as error:
            name = prefix.rstrip("/") or "."
            _fail(walk, name, f"cannot be listed: {reason(error)}")
            continue
        if any(entry.name == IGNORE_FILE for entry in entries):
            ignores = (*ignores, *_read_ignore(walk, prefix))
        for entry in entries:
            path = prefix + composed(entry.name)
            if entry.name.startswith(_LOCK):
                continue
            try:
                if is_version_file(path, entry.name):
                    _note(walk.metadata, path, entry)
                if _leads_on(entry):
                    if not _ignored(ignores, path + "/") and not walk.excluded(path):
                        date = entry.stat(follow_symlinks=False).st_mtime_ns
                        stack.append((entry.path, path + "/", date, ignores))
                elif entry.name.endswith(SUFFIXES) or walk.included(path):
                    if _ignored(ignores, path) or walk.excluded(path) or entry.is_dir():
                        continue
                    status = entry.stat()
                    if stat.S_ISREG(status.st_mode):
                        walk.files[path] = Entry(path, status.st_size, status.st_mtime_ns)
                        if entry.is_symlink():
                            walk.links.add(path)
            except OSError as error:
                _fail(walk, path, f"cannot be read: {reason(error)}")


def _note(metadata: dict[str, Entry], path: str, entry: os.DirEntry[str]) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return
    if stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST_BYTES:
        metadata[path] = Entry(path, status.st_size, status.st_mtime_ns)


def metadata_above(root: Path, folder: Path) -> tuple[Entry, ...]:
    """The files that may say which versions count in `folder` and above it, below `root`."""
    found: dict[str, Entry] = {}
    name = relative_name(folder, root)
    parts = [] if name == "." else name.split("/")
    for depth in range(1, len(parts) + 1):
        prefix = "/".join(parts[:depth])
        try:
            with os.scandir(os.path.join(root, prefix)) as listing:
                for entry in listing:
                    path = f"{prefix}/{entry.name}"
                    if is_version_file(path, entry.name):
                        _note(found, path, entry)
        except OSError:
            continue
    return _in_order(found)


def _fail(walk: _Walk, path: str, message: str) -> None:
    walk.failures[path] = Failure(Location(path, 1, 1, 1, 1), message)


def _leads_on(entry: os.DirEntry[str]) -> bool:
    """Whether to walk into it: links to folders are not followed, as in git."""
    return (
        entry.name not in LEFT_OUT
        and entry.is_dir(follow_symlinks=False)
        and not os.path.lexists(os.path.join(entry.path, "pyvenv.cfg"))
    )


def _ignores_above(walk: _Walk, start: str) -> tuple[_Ignore, ...]:
    """The ignore files of the folders from the root down to, not including, the start.

    A start that they leave out was asked for, so that they have no say below it.
    """
    ignores: tuple[_Ignore, ...] = ()
    parts = [] if start == "." else start.split("/")
    for depth in range(len(parts)):
        ignores = (*ignores, *_read_ignore(walk, "".join(f"{part}/" for part in parts[:depth])))
    return () if _ignored(ignores, start + "/") else ignores


def _read_ignore(walk: _Walk, prefix: str) -> tuple[_Ignore, ...]:
    name = prefix + IGNORE_FILE
    path = os.path.join(walk.root, name)
    try:
        status = os.stat(path)
    except OSError:
        return ()
    # A link of the project may lead to a device that never ends.
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_BYTES:
        return ()
    walk.marks[name] = Entry(name, status.st_size, status.st_mtime_ns)
    from pathspec import GitIgnoreSpec

    try:
        with open(path, encoding="utf-8-sig", errors="replace") as stream:
            return (_Ignore(prefix, GitIgnoreSpec.from_lines(map(_as_git_means, stream))),)
    except (OSError, ValueError):
        return ()


def _as_git_means(pattern: str) -> str:
    """`data/**` names what is in the folder, not the folder: `!data/x.py` can save a file."""
    pattern = pattern.rstrip("\n")
    return pattern[:-1] if pattern.endswith("/**") else pattern


def _ignored(ignores: tuple[_Ignore, ...], path: str) -> bool:
    """Whether git would leave the path out; the deepest file with an opinion decides."""
    for ignore in reversed(ignores):
        result = ignore.spec.check_file(path[len(ignore.folder) :])
        if result.include is not None:
            return bool(result.include)
    return False
