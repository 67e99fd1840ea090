"""A copy of a project as it stands, uncommitted work included, with large data linked."""

from __future__ import annotations

import enum
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.config.options import WrongUse

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LARGEST_COPIED = 8_000_000
"""Bytes of a file from which on it is linked."""
LARGEST_IGNORED = 1_000_000
"""The same for a file that git ignores: it may be data, or what a run has left."""
MOST_COPIED = 1_000_000_000
MOST_IGNORED = 64_000_000
"""Bytes of all that is copied; of ignored files, the rest is linked."""
MOST_FILES = 200_000
LEFT_OUT = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        "__pycache__",
        "node_modules",
    }
)


class Way(enum.Enum):
    """How something comes into the copy."""

    COPIED = "copied"
    LINKED = "linked"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Item:
    """One file or folder of the project, by its path from the root."""

    path: str
    way: Way
    size: int = 0


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as the walk met it."""

    path: str
    size: int
    is_ignored: bool = False
    is_folder: bool = False


def planned(seen: Sequence[Seen], wants_copied: Callable[[str], bool]) -> tuple[Item, ...]:
    """How each file comes into the copy. Raises `WrongUse` where all that is too much."""
    items: list[Item] = []
    copied = ignored = 0
    for one in seen:
        if one.is_folder:
            items.append(Item(one.path, Way.FOLDER))
            continue
        most = LARGEST_IGNORED if one.is_ignored else LARGEST_COPIED
        is_small = one.size <= most and not (one.is_ignored and ignored + one.size > MOST_IGNORED)
        if not (is_small or wants_copied(one.path)):
            items.append(Item(one.path, Way.LINKED, one.size))
            continue
        copied += one.size
        ignored += one.size if one.is_ignored else 0
        items.append(Item(one.path, Way.COPIED, one.size))
        if copied > MOST_COPIED:
            raise WrongUse(f"more than {MOST_COPIED // 10**9} GB would have to be copied")
    return tuple(items)


def walked(root: Path) -> tuple[Seen, ...]:
    """The files and folders of a project, in order. Raises `WrongUse` where there is no end."""
    found = []
    for one in _walk(os.fspath(root), "", ()):
        found.append(one)
        if len(found) > MOST_FILES:
            raise WrongUse(
                f"{root}: holds more than {MOST_FILES:,} files: start in the project's own folder"
            )
    return tuple(found)


def _walk(root: str, prefix: str, specs: tuple[tuple[str, GitIgnoreSpec], ...]) -> Iterator[Seen]:
    specs = (*specs, *_spec_in(root, prefix))
    try:
        entries = sorted(os.scandir(os.path.join(root, prefix)), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = prefix + entry.name
        if entry.name in LEFT_OUT or os.path.lexists(os.path.join(entry.path, "pyvenv.cfg")):
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder:
            yield Seen(path, 0, is_folder=True)
            yield from _walk(root, path + "/", specs)
        elif entry.is_symlink():
            # It may lead to data anywhere: as large as can be, whatever it is.
            yield Seen(path, MOST_COPIED)
        elif entry.is_file(follow_symlinks=False):
            yield Seen(path, entry.stat().st_size, _is_ignored(specs, path))


def _spec_in(root: str, prefix: str) -> Iterator[tuple[str, GitIgnoreSpec]]:
    from pathspec import GitIgnoreSpec

    path = os.path.join(root, prefix, ".gitignore")
    if os.path.isfile(path):
        try:
            with open(path, encoding="utf-8-sig", errors="replace") as stream:
                yield prefix, GitIgnoreSpec.from_lines(stream)
        except (OSError, ValueError):
            return


def _is_ignored(specs: tuple[tuple[str, GitIgnoreSpec], ...], path: str) -> bool:
    """Whether git would leave a path out; the deepest file with an opinion decides."""
    parts = path.split("/")
    above = ["/".join(parts[: end + 1]) + "/" for end in range(len(parts) - 1)]
    for one in (*above, path):
        for prefix, spec in reversed(specs):
            if one.startswith(prefix):
                include = spec.check_file(one[len(prefix) :]).include
                if include is not None:
                    if include:
                        return True
                    break
    return False


def copy_project(root: Path, items: Sequence[Item], target: Path) -> None:
    """Make the copy. Raises OSError."""
    for item in items:
        source, place = root / item.path, target / item.path
        if item.way is Way.FOLDER:
            place.mkdir(parents=True, exist_ok=True)
        elif item.way is Way.LINKED:
            place.symlink_to(os.path.realpath(source))
        else:
            shutil.copy2(source, place)


def copy_again(template: Path, target: Path) -> None:
    """A copy of the copy, its links the same. Raises OSError."""
    shutil.copytree(template, target, symlinks=True)


def marks_of(root: Path, items: Sequence[Item]) -> dict[str, tuple[int, int]]:
    """Size and date of what is linked, by its real path: they tell of writes."""
    marks = {}
    for item in items:
        if item.way is Way.LINKED:
            path = os.path.realpath(root / item.path)
            try:
                status = os.stat(path)
            except OSError:
                continue
            if os.path.isfile(path):
                marks[path] = status.st_size, status.st_mtime_ns
    return marks
