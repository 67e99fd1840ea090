"""Which files a run is about, found again quickly when no folder has changed."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from deepperf.check import cache
from deepperf.check.files import Entry, Found, relative_name
from deepperf.config.load import RootKind
from deepperf.config.options import Options
from deepperf.records import Failure

_RECENT_NS = 100_000_000
"""A date that young says little: another change may bear the same one."""


class Start(Struct, frozen=True):
    """Paths that belong to one project, its root, its settings and the file that holds them."""

    root: Path
    kind: RootKind
    paths: tuple[Path, ...]
    options: Options
    config: Path | None = None

    @property
    def cache_folder(self) -> Path:
        return cache.cache_folder(self.root)


class Survey(Struct, frozen=True):
    """The files to check, and all files that they may import from or be called by.

    `named` are the files that were given by name; `context` includes the files to check;
    `metadata` are the files in folders below the root that may say which versions count.
    """

    wanted: tuple[str, ...]
    named: frozenset[str]
    context: tuple[Entry, ...]
    failures: tuple[Failure, ...]
    metadata: tuple[Entry, ...] = ()


def survey(start: Start) -> Survey:
    """Find the files, by the dates of folders if those were walked before."""
    names = [relative_name(path, start.root) for path in start.paths]
    options = start.options
    key = "walk-" + cache.cache_key(
        os.fspath(start.root), names, start.kind.value, options.include, options.exclude
    )
    if options.cache:
        memory = cache.load(start.cache_folder, key, Memory)
        remembered = None if memory is None else _remembered(start, memory)
        if remembered is not None:
            return remembered
    from deepperf.check.discover import discover

    begin = time.time_ns()
    found = discover(start.root, start.paths, options)
    whole = _around(start, found)
    files = {entry.path: entry for entry in (*whole.files, *found.files)}
    result = Survey(
        tuple(entry.path for entry in found.files if entry.path not in found.again),
        frozenset(
            name for name, path in zip(names, start.paths, strict=True) if os.path.isfile(path)
        ),
        tuple(files[path] for path in sorted(files)),
        found.failures,
        tuple(sorted({*whole.metadata, *found.metadata})),
    )
    memory = _memory(result, found, whole)
    is_settled = max(memory.folders.values(), default=0) < begin - _RECENT_NS
    if options.cache and start.kind is not RootKind.BARE and is_settled and not result.failures:
        cache.save(start.cache_folder, key, memory)
    return result


def _around(start: Start, found: Found) -> Found:
    """What else the project holds."""
    from deepperf.check.discover import discover, metadata_above, neighbours

    if start.kind is RootKind.MARKED:
        if any(prefix == "" for prefix, _ in found.folders):
            return found
        return discover(start.root, (start.root,), start.options)
    if start.kind is RootKind.INSTALLED:
        return found
    beside = [
        entry
        for path in start.paths
        if not os.path.isdir(path)
        for entry in neighbours(start.root, path.parent)
    ]
    folders = {path if os.path.isdir(path) else path.parent for path in start.paths}
    above = {entry for folder in folders for entry in metadata_above(start.root, folder)}
    return Found(tuple(beside), metadata=tuple(sorted(above)))


class Memory(NamedTuple):
    """A survey as it is kept: with the dates of folders, and the sizes and dates of ignore files.

    Of each file it holds the path, and whether it is to be checked.
    """

    folders: dict[str, int]
    marks: dict[str, tuple[int, int]]
    files: list[tuple[str, bool]]
    metadata: list[str]
    named: list[str]


def _memory(result: Survey, found: Found, whole: Found) -> Memory:
    wanted = frozenset(result.wanted)
    return Memory(
        {**dict(found.folders), **dict(whole.folders)},
        {mark.path: (mark.size, mark.mtime_ns) for mark in (*found.marks, *whole.marks)},
        [(entry.path, entry.path in wanted) for entry in result.context],
        [entry.path for entry in result.metadata],
        sorted(result.named),
    )


def _remembered(start: Start, memory: Memory) -> Survey | None:
    """The survey of last time, with the dates of now, if nothing was added or taken away."""
    try:
        prefix = os.path.join(start.root, "")
        look = os.stat
        for folder, date in memory.folders.items():
            if look(prefix + folder).st_mtime_ns != date:
                return None
        for mark, (size, date) in memory.marks.items():
            status = look(prefix + mark)
            if status.st_size != size or status.st_mtime_ns != date:
                return None
        context = []
        wanted = []
        for path, is_wanted in memory.files:
            status = look(prefix + path)
            context.append(Entry(path, status.st_size, status.st_mtime_ns))
            if is_wanted:
                wanted.append(path)
        metadata = []
        for path in memory.metadata:
            status = look(prefix + path)
            metadata.append(Entry(path, status.st_size, status.st_mtime_ns))
        return Survey(tuple(wanted), frozenset(memory.named), tuple(context), (), tuple(metadata))
    except (OSError, ValueError):
        return None
