"""The texts of a project: files that are read when they are first asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.config.options import Options
from deepperf.records import Failure, Location

if TYPE_CHECKING:
    from deepperf.semantics.project import Project
    from deepperf.semantics.source import Source


class FileSources(Mapping[str, "Source"]):
    """The sources below a root by path; each file is read once, and only if asked for.

    A file that cannot be read is an empty source to the others; `failure` says why.
    """

    def __init__(self, root: str, paths: Iterator[str] | tuple[str, ...]) -> None:
        self._root = root
        self._paths = dict.fromkeys(paths)
        self._data: dict[str, bytes | Failure] = {}
        self._sources: dict[str, Source] = {}
        self._failures: dict[str, Failure] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __getitem__(self, path: str) -> Source:
        source = self._sources.get(path)
        if source is None:
            if path not in self._paths:
                raise KeyError(path)
            source = self._sources[path] = self._read(path)
        return source

    def data(self, path: str) -> bytes | Failure:
        """The bytes of a file, or why they cannot be had."""
        found = self._data.get(path)
        if found is None:
            found = self._data[path] = read_bytes(self._root, path)
        return found

    def failure(self, path: str) -> Failure | None:
        """Why a file has no text, if it has none."""
        self[path]
        return self._failures.get(path)

    def _read(self, path: str) -> Source:
        data = self.data(path)
        found = data if isinstance(data, Failure) else read_text(path, data)
        if isinstance(found, Failure):
            self._failures[path] = found
            return _empty(path)
        return found


def read_bytes(root: str, path: str) -> bytes | Failure:
    """The bytes of a file below `root`, or a failure that says why not."""
    try:
        with open(os.path.join(root, path), "rb") as stream:
            return stream.read()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return Failure(Location(path, 1, 1, 1, 1), f"cannot be read: {reason}")


def read_text(path: str, data: bytes) -> Source | Failure:
    """The source in the bytes of a Python file or notebook."""
    from deepperf.semantics.source import read_source

    return read_source(path, data)


def joined(
    path: str, text: str, project: Project | None, framework_versions: Mapping[str, str]
) -> Project | Failure:
    """`project` with `text` as the content of `path`; without a project, that file alone."""
    from deepperf.semantics.project import Project

    source = read_text(path, text.encode("utf-8", "surrogatepass"))
    if isinstance(source, Failure):
        return source
    if project is None:
        return Project({path: source}, {})
    return Project({**project.sources, path: source}, project.versions)


def project_of(sources: FileSources, root: Path, options: Options) -> Project:
    """The project of these sources, with the framework versions that it admits."""
    from deepperf.semantics.project import Project

    return Project(sources, {})


def version_files_stamp(root: Path) -> tuple[tuple[str, int, int], ...]:
    """Name, size and date of each file of `root` that says which versions the project uses."""
    return ()


def _empty(path: str) -> Source:
    from deepperf.semantics.source import Source, role_of

    return Source(path, "", role_of(path))
