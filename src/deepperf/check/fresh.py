"""Checks what no cache can answer, in as many processes as pay."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from deepperf.check.cache import Mark, Record, Rests, State
from deepperf.check.discover import metadata_above, neighbours
from deepperf.check.engine import Engine, Progress
from deepperf.check.files import Entry, relative_name
from deepperf.check.generated import is_generated
from deepperf.check.kept import describe, frameworks_of, keep
from deepperf.check.paths import at_level, relocated, shown_name
from deepperf.check.pool import CHUNKS_PER_WORKER, SMALL, chunked, in_processes
from deepperf.check.relevant import framework_mention, relevant
from deepperf.check.run import Checked, check_file, silenced_by_path
from deepperf.check.select import Selection
from deepperf.check.sources import FileSources, OverlaidSources, read_text
from deepperf.check.survey import Start, Survey, survey
from deepperf.check.versions import overriding, versions_by_folder, versions_of
from deepperf.config.load import RootKind, Settings, load_options, project_root, settings_of
from deepperf.config.options import Options
from deepperf.records import Failure, Report

if TYPE_CHECKING:
    from deepperf.semantics.files.project import Project
    from deepperf.semantics.text.source import Source

KEPT_TEXT = 36_000_000
"""Characters of the texts of parsed modules kept from file to file: parsed they take thirty times
as much memory, and what many files ask about would else be parsed again and again."""
KEPT_BY_WORKER = 24_000_000
"""The same for one of several processes: each has a memory of its own, and fewer files."""


def check_afresh(
    start: Start,
    found: Survey,
    known: Mapping[str, Record],
    engine: Engine,
    progress: Progress | None,
) -> dict[str, Record]:
    """Check what must be checked; records of every file of the context."""
    selection = engine.select(start.options)
    sources = FileSources(str(start.root), tuple(entry.path for entry in found.context))
    project = project_in(start, sources, found.metadata)
    records = {entry.path: unchecked(entry) for entry in found.context}
    matters = relevant(records, sources.data, framework_mention())
    if start.options.cache:
        describe(records, known, project, sources.data)
        keep(records, known, project)
    frameworks = frameworks_of(project) if start.options.cache else ""
    generated = {path for path in records if _is_generated(path, sources.data(path))}
    todo = []
    for path in found.wanted:
        record = records[path]
        if path in found.named or (path in matters and path not in generated):
            if record.mark.state != State.CHECKED:
                todo.append((path, record.mark.size))
        else:
            mark = record.mark._replace(state=State.IRRELEVANT, report=None)
            records[path] = record._replace(mark=mark, rests=_nothing())
    for path in generated:
        records[path] = records[path]._replace(mark=records[path].mark._replace(generated=True))

    chunks, jobs = _shared_out(todo, start.options.jobs)
    kept = KEPT_TEXT if jobs == 1 else KEPT_BY_WORKER

    def work(files: Sequence[tuple[str, int]]) -> list[Checked]:
        reports = []
        for path, _ in files:
            reports.append(_one(project, path, sources, selection, start, engine))
            project.forget_modules(kept)
        return reports

    if jobs > 1:
        _make_shared(project)
    done = 0
    for chunk in in_processes(work, chunks, jobs):
        for checked in chunk:
            path = checked.report.path
            state = State.UNCHECKED if sources_failed(checked) else State.CHECKED
            report = None if checked.report == Report(path) else checked.report
            records[path] = records[path]._replace(
                mark=records[path].mark._replace(state=state, report=report),
                rests=rests_of(checked, frameworks),
            )
        done += len(chunk)
        if progress is not None:
            progress(done, len(todo))
    return records


def _make_shared(project: Project) -> None:
    """What every worker would make for itself is made once, before they are forked."""
    with suppress(Exception):  # each file says by itself what is wrong
        _ = project.knowledge, project.naming("")


def _one(
    project: Project,
    path: str,
    sources: FileSources,
    selection: Selection,
    start: Start,
    engine: Engine,
) -> Checked:
    failure = sources.failure(path)
    if failure is not None:
        return Checked(Report(path, failures=(failure,)))
    checked = check_file(project, path, selection, engine.look)
    return replace(checked, report=silenced_by_path(checked.report, start.options, selection))


def rests_of(checked: Checked, frameworks: str) -> Rests:
    """What a report rests on, as it is kept."""
    return Rests(
        sorted(checked.touched),
        sorted(checked.parts - checked.touched),
        sorted(checked.asked),
        sorted(checked.named),
        frameworks,
    )


def sources_failed(checked: Checked) -> bool:
    """Whether trying again may give something else though no file changed."""
    return any(
        failure.internal or failure.message.startswith("cannot be read")
        for failure in checked.report.failures
    )


def _shared_out(
    files: Sequence[tuple[str, int]], jobs: int
) -> tuple[list[list[tuple[str, int]]], int]:
    """Files with their sizes in chunks, and the number of processes to use."""
    jobs = jobs or _cores()
    if jobs == 1 or len(files) < SMALL:
        return chunked(files, lambda file: file[1], max(1, len(files) // 50)), 1
    return chunked(files, lambda file: file[1], jobs * CHUNKS_PER_WORKER), jobs


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _is_generated(path: str, data: bytes | Failure) -> bool:
    return not isinstance(data, Failure) and is_generated(path, data)


def unchecked(entry: Entry) -> Record:
    """What is known of a file that was only found."""
    return Record(Mark(entry.size, entry.mtime_ns, State.UNCHECKED, None), "", "", "", _nothing())


def _nothing() -> Rests:
    return Rests([], [], [], [], "")


def check_bytes(
    data: bytes,
    name: str,
    override: Callable[[Options], Options],
    engine: Engine | None = None,
    settings: Settings = load_options,
) -> tuple[Report, Options]:
    """The report on content that stands for the file `name`, and the settings that counted.

    The other files of the project that the name lies in are read from disk.
    """
    engine = engine or Engine()
    path = Path(name)
    folder = path.parent if os.path.isdir(path.parent) else Path()
    root, kind = project_root(folder)
    given, config = settings(folder)
    options = override(given)
    with settings_of(config):
        selection = engine.select(options)
        overriding(options.framework_versions)
    inside = relative_name(path, root)
    start = Start(root, kind, (path,), options)
    source = read_text(inside, data)
    if isinstance(source, Failure):
        return relocated(Report(inside, failures=(source,)), lambda _: name), options
    around, metadata = _around(root, kind, folder, options)
    project = project_in(start, OverlaidSources({inside: source}, around), metadata)
    report = check_file(project, inside, selection, engine.look).report
    report = at_level(silenced_by_path(report, options, selection), options)
    shown = shown_name(root, os.getcwd())
    return relocated(report, lambda path: name if path == inside else shown(path)), options


def project_in(start: Start, sources: Mapping[str, Source], metadata: Iterable[Entry]) -> Project:
    """The program made of these sources, with the framework versions that count for it.

    `metadata` are the files that may speak of versions in folders below the root.
    """
    from deepperf.semantics.files.project import Project

    overrides = start.options.framework_versions
    if start.kind is RootKind.INSTALLED:
        return Project(sources, overriding(overrides))
    nearer = versions_by_folder(start.root, (entry.path for entry in metadata), overrides)
    return Project(sources, versions_of(start.root, overrides), nearer)


def sources_of(start: Start) -> FileSources:
    """Every file of a project that the checked ones may depend on."""
    return FileSources(str(start.root), tuple(entry.path for entry in survey(start).context))


def _around(
    root: Path, kind: RootKind, folder: Path, options: Options
) -> tuple[FileSources, tuple[Entry, ...]]:
    """The files and metadata that a file in `folder`, which need not exist, may depend on."""
    if kind is RootKind.MARKED:
        found = survey(Start(root, kind, (root,), options))
        entries, metadata = found.context, found.metadata
    else:
        entries, metadata = neighbours(root, folder), metadata_above(root, folder)
    return FileSources(str(root), tuple(entry.path for entry in entries)), metadata
