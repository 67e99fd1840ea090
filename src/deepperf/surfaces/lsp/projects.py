"""The projects around the files that are open in an editor, and what is to be said of these."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from lsprotocol import types
from msgspec import Struct
from pygls.uris import from_fs_path
from pygls.workspace import PositionCodec

from deepperf.check.files import relative_name
from deepperf.check.live import Live, checked, is_wanted, opened, report_on, with_texts
from deepperf.check.paths import starts
from deepperf.check.sources import NotebookSource, read_bytes, read_text
from deepperf.check.survey import Start
from deepperf.config.load import RootKind, load_options, project_root
from deepperf.config.options import Options, WrongUse
from deepperf.records import Failure, Finding, Location, Report
from deepperf.semantics.text.source import Source, source_of_text
from deepperf.surfaces.lsp.findings import diagnostic_of
from deepperf.surfaces.lsp.texts import Document, text_of

Override: TypeAlias = Callable[[Options], Options]
Key: TypeAlias = tuple[Path, Path | None, tuple[Path, ...]]


class Opened(Struct, frozen=True):
    """A file that is open: its whole path, and the address and text of each of its documents.

    It has one, but a notebook has one for each code cell.
    """

    path: str
    parts: tuple[tuple[str, str], ...]
    version: int | None = None


class Told(Struct, frozen=True):
    """A finding, and what is published of it."""

    finding: Finding
    diagnostic: types.Diagnostic


class Shown(Struct, frozen=True):
    """What is to be said of a file that is open; `told` goes by the address of a document."""

    version: int | None
    documents: tuple[Document, ...]
    told: Mapping[str, tuple[Told, ...]]
    failures: tuple[Failure, ...] = ()
    problem: str = ""


class Desk(Struct, frozen=True):
    """All files that are open, the one edited last first, and the folders that are."""

    files: tuple[Opened, ...]
    folders: tuple[str, ...]
    codec: PositionCodec


class Projects:
    """The projects that were asked about, by root, settings and paths, as they last were.

    Only one thread at a time may ask.
    """

    def __init__(self, override: Override) -> None:
        self._override = override
        self._lives: dict[Key, Live] = {}

    def touch(self, paths: Iterable[str]) -> None:
        """Take note that others changed, made or deleted these files."""
        for path in paths:
            for key, live in [*self._lives.items()]:
                if not Path(path).is_relative_to(live.start.root):
                    continue
                name = _inside(live, path)
                source = _on_disk(live, name)
                if name not in live.project.sources or isinstance(source, Failure):
                    del self._lives[key]  # other files or settings: it is looked at afresh
                else:
                    self._lives[key] = with_texts(live, {name: source})

    def answers(self, desk: Desk, pause: Callable[[], None]) -> Iterator[tuple[str, Shown]]:
        """What is to be said of each open file. Raises what `pause` raises."""
        keys: dict[str, Key] = {}
        for given in desk.files:
            try:
                keys[given.path] = self._project_of(given, desk)
            except WrongUse as error:
                yield given.path, Shown(given.version, (), {}, problem=str(error))
        for key in set(keys.values()):
            files = [given for given in desk.files if keys.get(given.path) == key]
            self._lives[key] = _with_open(self._lives[key], files)
        for given in desk.files:
            if given.path not in keys:
                continue
            key = keys[given.path]
            live = self._lives[key]
            live = self._lives[key] = checked(live, _inside(live, given.path), pause)
            yield given.path, _shown(live, given, desk)

    def _project_of(self, given: Opened, desk: Desk) -> Key:
        start = _start_of(given.path, desk.folders, self._override)
        key = (start.root, start.config, start.paths)
        if key not in self._lives or self._lives[key].start != start:
            self._lives[key] = opened(start)
        return key


def _with_open(live: Live, files: Iterable[Opened]) -> Live:
    """The project with what is open; what was open before is as it is on disk."""
    texts = {name: _on_disk(live, name) for name in live.texts}
    for given in files:
        name = _inside(live, given.path)
        texts[name] = _source_of(given, name)
    return with_texts(live, {n: s for n, s in texts.items() if not isinstance(s, Failure)})


def _on_disk(live: Live, name: str) -> Source | Failure:
    data = read_bytes(str(live.start.root), name)
    return data if isinstance(data, Failure) else read_text(name, data)


def _source_of(given: Opened, name: str) -> Source | Failure:
    """The source of an open file that goes by `name` in its project."""
    if not given.path.endswith(".ipynb"):
        return source_of_text(name, given.parts[0][1])
    cells = [{"cell_type": "code", "source": text} for _, text in given.parts]
    return read_text(name, json.dumps({"cells": cells, "nbformat": 4}).encode("ascii"))


def _start_of(path: str, folders: Sequence[str], override: Override) -> Start:
    """The project that a file belongs to: below what marks one, else the folder that is open,
    else what lies beside the file. Raises `WrongUse`.
    """
    folder = Path(path).parent
    root, kind = project_root(folder)
    around = [one for one in folders if Path(path).is_relative_to(one)]
    if kind is not RootKind.MARKED and around:
        return starts((max(around, key=len),), override)[0]
    options, config = load_options(folder)
    paths: tuple[Path, ...] = (root,) if kind is RootKind.MARKED else (Path(path),)
    if not paths[0].exists():
        paths = ()  # it is not saved yet
    return Start(root, kind, paths, override(options), config)


def _inside(live: Live, path: str) -> str:
    """The name of a file in its project."""
    return relative_name(Path(path), live.start.root)


def _shown(live: Live, given: Opened, desk: Desk) -> Shown:
    name = _inside(live, given.path)
    report = report_on(live, name) if is_wanted(live, name) else Report(name)
    documents = tuple(_documents(live, given, desk.codec))
    by_path = {given.path: documents}
    opened_files = {other.path: other for other in desk.files}

    def document_of(location: Location) -> Document:
        path = os.path.abspath(location.path)
        if path not in by_path:
            source = live.project.sources.get(_inside(live, path))
            other = opened_files.get(path)
            if other is None or source is None:
                other = Opened(path, ((from_fs_path(path) or "", source.text if source else ""),))
            by_path[path] = tuple(_documents(live, other, desk.codec))
        return by_path[path][max(location.cell, 1) - 1]

    told: dict[str, list[Told]] = {document.uri: [] for document in documents}
    for finding in report.findings:
        diagnostic = diagnostic_of(finding, document_of)
        told[document_of(finding.location).uri].append(Told(finding, diagnostic))
    every = {uri: tuple(found) for uri, found in told.items()}
    return Shown(given.version, documents, every, report.failures)


def _documents(live: Live, given: Opened, codec: PositionCodec) -> Iterator[Document]:
    source = live.project.sources.get(_inside(live, given.path))
    if isinstance(source, NotebookSource) and len(given.parts) == len(source.notebook.cells):
        for (uri, text), cell in zip(given.parts, source.notebook.cells, strict=True):
            yield Document(uri, text_of(text, codec), cell.start)
        return
    for uri, text in given.parts:
        yield Document(uri, text_of(text, codec))
