"""Checks files and folders: finds them, asks the cache, shares out the rest."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.check import cache
from deepperf.check.cache import Record, State
from deepperf.check.discover import Entry, Found, discover, neighbours, relative_name
from deepperf.check.pool import CHUNKS_PER_WORKER, SMALL, chunked, in_processes
from deepperf.check.relevant import framework_mention, relevant
from deepperf.check.run import (
    Checked,
    Look,
    at_level,
    check_file,
    default_selection,
    silenced_by_path,
)
from deepperf.check.select import Selection
from deepperf.check.sources import FileSources, OverlaidSources, read_text
from deepperf.check.versions import overriding, version_files_stamp, versions_of
from deepperf.config.load import RootKind, load_options, project_root
from deepperf.config.options import Options, WrongUse
from deepperf.records import Failure, Finding, Report, Step

if TYPE_CHECKING:
    from deepperf.semantics.project import Project
    from deepperf.semantics.source import Source

Progress = Callable[[int, int], None]
"""Told how many files are done, of how many."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What checks: the rules to run, how a file is looked at, and a mark of both' make."""

    select: Callable[[Options], Selection] = default_selection
    look: Look | None = None
    stamp: Callable[[], str] = cache.package_stamp


@dataclass(frozen=True, slots=True)
class Start:
    """Paths that belong to one project, its root and its settings."""

    root: Path
    kind: RootKind
    paths: tuple[Path, ...]
    options: Options


@dataclass(frozen=True, slots=True)
class Tree:
    """The reports on one project's files, of every level; paths count from the root.

    `failures` are about folders that could not be listed.
    """

    root: Path
    options: Options
    reports: tuple[Report, ...]
    failures: tuple[Failure, ...]


def check_paths(
    paths: Iterable[str | os.PathLike[str]], options: Options | None = None
) -> tuple[Report, ...]:
    """The reports on every file at or below `paths`, in order of path.

    Paths in the reports are relative to the working folder where they lie below it, else
    absolute. `options` left out, each project's own settings count. Raises `WrongUse` for a
    path that does not exist and for wrong settings.
    """
    reports: list[Report] = []
    for start in starts(paths, lambda found: options or found):
        tree = check_tree(start)
        reports += [at_level(report, start.options.level) for report in shown_reports(tree)]
    return tuple(sorted(reports, key=lambda report: report.path))


def starts(
    paths: Iterable[str | os.PathLike[str]], override: Callable[[Options], Options]
) -> tuple[Start, ...]:
    """`paths` by project and settings file; `override` has the last word on the settings.

    Raises `WrongUse` for a path that does not exist.
    """
    grouped: dict[tuple[Path, Path | None], Start] = {}
    for given in paths:
        path = Path(given)
        folder = path if path.is_dir() else path.parent
        if not os.path.lexists(path):
            raise WrongUse(f"{path}: no such file or folder")
        root, kind = project_root(folder)
        options, config = load_options(folder)
        start = grouped.get((root, config)) or Start(root, kind, (), override(options))
        grouped[root, config] = replace(start, paths=(*start.paths, path))
    return tuple(grouped.values())


def check_bytes(
    data: bytes, name: str, override: Callable[[Options], Options], engine: Engine | None = None
) -> tuple[Report, Options]:
    """The report on content that stands for the file `name`, and the settings that counted.

    The other files of the project that the name lies in are read from disk.
    """
    engine = engine or Engine()
    path = Path(name)
    folder = path.parent if path.parent.is_dir() else Path()
    root, kind = project_root(folder)
    options = override(load_options(folder)[0])
    selection = engine.select(options)
    inside = relative_name(path, root)
    start = Start(root, kind, (path,), options)
    source = read_text(inside, data)
    if isinstance(source, Failure):
        return relocated(Report(inside, failures=(source,)), lambda _: name), options
    project = project_in(start, OverlaidSources({inside: source}, sources_of(start)))
    report = check_file(project, inside, selection, engine.look).report
    report = silenced_by_path(report, options, selection)
    shown = shown_name(root, os.getcwd())
    return relocated(report, lambda path: name if path == inside else shown(path)), options


def project_in(start: Start, sources: Mapping[str, Source]) -> Project:
    """The program made of these sources, with the framework versions that count for it."""
    from deepperf.semantics.project import Project

    overrides = start.options.framework_versions
    if start.kind is RootKind.INSTALLED:
        return Project(sources, overriding(overrides))
    return Project(sources, versions_of(start.root, overrides))


def sources_of(start: Start) -> FileSources:
    """Every file of a project that the checked ones may depend on."""
    files = _context(start, Found((), ()))
    present = {relative_name(path, start.root) for path in start.paths if path.is_file()}
    return FileSources(str(start.root), tuple(sorted({entry.path for entry in files} | present)))


def shown_reports(tree: Tree) -> tuple[Report, ...]:
    """A tree's reports, of every level, with paths as the user sees them.

    What failed about folders comes in reports of their own.
    """
    reports = [*tree.reports]
    reports += [Report(f.location.path, failures=(f,)) for f in tree.failures]
    shown = shown_name(tree.root, os.getcwd())
    return tuple(relocated(report, shown) for report in reports)


def shown_name(root: Path, here: str) -> Callable[[str], str]:
    """How to show a path that counts from `root` to somebody who works in `here`."""
    prefix = os.path.join(here, "")

    def shown(path: str) -> str:
        whole = os.path.normpath(os.path.join(root, path))
        return whole.removeprefix(prefix)

    return shown


def relocated(report: Report, shown: Callable[[str], str]) -> Report:
    """The report with every path in it shown otherwise."""

    def move(finding: Finding) -> Finding:
        location = replace(finding.location, path=shown(finding.location.path))
        path = tuple(
            Step(replace(step.location, path=shown(step.location.path)), step.text)
            for step in finding.path
        )
        return replace(finding, location=location, path=path)

    return Report(
        shown(report.path),
        tuple(map(move, report.findings)),
        tuple(map(move, report.suppressed)),
        tuple(
            replace(failure, location=replace(failure.location, path=shown(failure.location.path)))
            for failure in report.failures
        ),
    )


def check_tree(
    start: Start, engine: Engine | None = None, progress: Progress | None = None
) -> Tree:
    """Check one project's paths; what has not changed since the last run is remembered."""
    engine = engine or Engine()
    options = start.options
    found = discover(start.root, start.paths, options)
    context = _context(start, found)
    named = frozenset(relative_name(path, start.root) for path in start.paths)
    folder = _cache_folder(start)
    key, known = "", {}
    if options.cache:
        key = _key(start, engine)
        known = dict(cache.load_records(folder, key))
    records = _unchanged(found, context, named, known)
    if records is None:
        records = _check(start, found, context, named, known, engine, progress)
        if options.cache:
            cache.save_records(folder, key, records)
    reports = tuple(cache.decode(entry.path, records[entry.path].report) for entry in found.files)
    return Tree(start.root, options, reports, found.failures)


def _context(start: Start, found: Found) -> tuple[Entry, ...]:
    """All files that the checked ones may import from or be called by, those included."""
    files = {entry.path: entry for entry in found.files}
    if start.kind is RootKind.MARKED:
        whole = discover(start.root, (start.root,), start.options)
        files.update((entry.path, entry) for entry in whole.files)
    elif start.kind is RootKind.BARE:
        for path in start.paths:
            if not path.is_dir():
                files.update((e.path, e) for e in neighbours(start.root, path.parent))
    return tuple(files[path] for path in sorted(files))


def _cache_folder(start: Start) -> Path:
    if start.kind is RootKind.MARKED:
        return cache.project_folder(start.root)
    return cache.user_folder(start.root)


def _key(start: Start, engine: Engine) -> str:
    options = start.options
    return cache.cache_key(
        engine.stamp(),
        options.select,
        options.ignore,
        options.preview,
        sorted(options.framework_versions.items()),
        sorted(options.per_file_ignores.items()),
        version_files_stamp(start.root),
    )


def _unchanged(
    found: Found,
    context: Sequence[Entry],
    named: frozenset[str],
    known: Mapping[str, Record],
) -> Mapping[str, Record] | None:
    """The remembered records if they answer everything, judged by sizes and dates alone."""
    if len(known) != len(context):
        return None
    for entry in context:
        record = known.get(entry.path)
        if record is None or record.size != entry.size or record.mtime_ns != entry.mtime_ns:
            return None
    wanted = [(entry.path, known[entry.path]) for entry in found.files]
    for path, record in wanted:
        needed = State.CHECKED if path in named else State.IRRELEVANT
        if record.state < needed:
            return None
    return known if cache.decodes(wanted) else None


def _check(
    start: Start,
    found: Found,
    context: Sequence[Entry],
    named: frozenset[str],
    known: Mapping[str, Record],
    engine: Engine,
    progress: Progress | None,
) -> dict[str, Record]:
    """Check what must be checked; records of every file of the context."""
    selection = engine.select(start.options)
    sources = FileSources(str(start.root), tuple(entry.path for entry in context))
    records = {entry.path: _fresh(entry, sources) for entry in context}
    matters = relevant(records, sources.data, framework_mention())
    _keep(records, known, sources)
    todo = []
    for entry in found.files:
        record = records[entry.path]
        if entry.path in matters or entry.path in named:
            if record.state != State.CHECKED:
                todo.append(entry)
        else:
            records[entry.path] = record._replace(
                state=State.IRRELEVANT, report=None, touched=[], asked=[]
            )
    project = project_in(start, sources)

    def work(entries: Sequence[Entry]) -> list[Checked]:
        return [_one(project, entry.path, sources, selection, start, engine) for entry in entries]

    done = 0
    for chunk in in_processes(work, *_shared_out(todo, start.options.jobs)):
        for checked in chunk:
            path = checked.report.path
            failed = sources_failed(checked)
            records[path] = records[path]._replace(
                state=State.UNCHECKED if failed else State.CHECKED,
                report=cache.encode(checked.report),
                touched=sorted(checked.touched),
                asked=sorted(checked.asked),
            )
        done += len(chunk)
        if progress is not None:
            progress(done, len(todo))
    return records


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


def sources_failed(checked: Checked) -> bool:
    """Whether trying again may give something else though no file changed."""
    return any(
        failure.internal or failure.message.startswith("cannot be read")
        for failure in checked.report.failures
    )


def _shared_out(entries: Sequence[Entry], jobs: int) -> tuple[list[list[Entry]], int]:
    jobs = jobs or _cores()
    if jobs == 1 or len(entries) < SMALL:
        return chunked(entries, lambda entry: entry.size, max(1, len(entries) // 50)), 1
    return chunked(entries, lambda entry: entry.size, jobs * CHUNKS_PER_WORKER), jobs


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _fresh(entry: Entry, sources: FileSources) -> Record:
    data = sources.data(entry.path)
    digest = "" if isinstance(data, Failure) else cache.digest_of(data)
    return Record(entry.size, entry.mtime_ns, digest, State.UNCHECKED, None, [], [])


def _keep(records: dict[str, Record], known: Mapping[str, Record], sources: FileSources) -> None:
    """Take over what is remembered of each file that no change can have reached."""
    if records.keys() != known.keys():
        return
    changed = {path for path, record in records.items() if record.digest != known[path].digest}
    words: set[str] = set()
    for path in changed:
        words.update(re.findall(r"\w+", sources[path].text))
    for path, record in records.items():
        old = known[path]
        reached = (
            path in changed
            or not changed.isdisjoint(old.touched)
            or not words.isdisjoint(old.asked)
        )
        if not reached and record.digest and cache.decodes([(path, old)]):
            records[path] = old._replace(size=record.size, mtime_ns=record.mtime_ns)
