"""The texts of a project: files that are read when they are first asked for."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from deepperf.records import Failure, Finding, Location, Report, Step
from deepperf.semantics.text.source import Source, read_source, role_of, write_back

if TYPE_CHECKING:
    from deepperf.notebooks.cells import Notebook


class FileSources(Mapping[str, Source]):
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


def text_reader(given: Mapping[str, bytes]) -> Callable[[str, int], str]:
    """Tells the text of a file on disk or given, or of one cell of a notebook; "" for none."""

    @functools.cache
    def source(path: str) -> Source | None:
        data = given[path] if path in given else read_bytes("", path)
        found = data if isinstance(data, Failure) else read_text(path, data)
        return None if isinstance(found, Failure) else found

    def text(path: str, cell: int) -> str:
        found = source(path)
        if cell and isinstance(found, NotebookSource):
            return next((c.source for c in found.notebook.cells if c.number == cell), "")
        return found.text if found else ""

    return text


def read_text(path: str, data: bytes) -> Source | Failure:
    """The source in the bytes of a Python file or notebook."""
    if path.endswith(".ipynb"):
        from deepperf.notebooks.cells import read_notebook
        from deepperf.notebooks.magics import installing

        notebook = read_notebook(path, data)
        if isinstance(notebook, Failure):
            return notebook
        installs = "\n".join(installing(cell.source) for cell in notebook.cells)
        return NotebookSource(
            path, notebook.text, notebook.role, installs=installs.strip(), notebook=notebook
        )
    return read_source(path, data)


class NotebookSource(Source, frozen=True, kw_only=True):
    """The virtual text of a notebook, with the way back to its cells."""

    notebook: Notebook


def in_cells(report: Report, sources: Mapping[str, Source]) -> Report:
    """The report with lines that count in cells, wherever a location is in a notebook."""

    def place(location: Location) -> Location:
        source = sources.get(location.path)
        if not isinstance(source, NotebookSource):
            return location
        cell, line = source.notebook.cell_line(location.line)
        end_line = location.end_line - location.line + line
        return replace(location, cell=cell, line=line, end_line=end_line)

    def move(finding: Finding) -> Finding:
        path, related = (
            tuple(Step(place(step.location), step.text) for step in steps)
            for steps in (finding.path, finding.related)
        )
        return replace(finding, location=place(finding.location), path=path, related=related)

    own = sources.get(report.path)
    lost = own.notebook.failures if isinstance(own, NotebookSource) else ()
    failures = tuple(replace(f, location=place(f.location)) for f in report.failures)
    return Report(
        report.path,
        tuple(map(move, report.findings)),
        tuple(map(move, report.suppressed)),
        tuple(sorted({*failures, *lost})),
    )


class OverlaidSources(Mapping[str, Source]):
    """Sources with some replaced or added; those below are read only if asked for."""

    def __init__(self, above: Mapping[str, Source], below: Mapping[str, Source]) -> None:
        self._above = above
        self._below = below

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._below, *self._above)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, path: object) -> bool:
        return path in self._above or path in self._below

    def __getitem__(self, path: str) -> Source:
        found = self._above.get(path)
        return self._below[path] if found is None else found


def with_text(source: Source, text: str) -> Source:
    """The same file with another text."""
    return structs.replace(source, text=text)


def written(source: Source, text: str) -> bytes:
    """The bytes of a Python file or notebook with `text` for its text.

    Raises UnicodeEncodeError where the file's encoding lacks a character, ValueError where
    a change of a notebook reaches over the end of a cell.
    """
    if isinstance(source, NotebookSource):
        from deepperf.fixes.apply import edits_between
        from deepperf.notebooks.edit import apply_to_notebook

        return apply_to_notebook(source.notebook, edits_between(source.text, text))
    return write_back(source, text)


def _empty(path: str) -> Source:
    return Source(path, "", role_of(path))
