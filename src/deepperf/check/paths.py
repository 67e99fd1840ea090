"""Checks files and folders: finds them, asks the cache, shares out the rest."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from msgspec import Struct, structs

from deepperf.check import cache
from deepperf.check.cache import Mark, State
from deepperf.check.engine import Engine, Progress
from deepperf.check.files import relative_name, unusable
from deepperf.check.select import level_in
from deepperf.check.survey import Start, Survey, survey
from deepperf.check.versions import version_files_stamp
from deepperf.config.load import Settings, load_options, project_root, settings_of
from deepperf.config.options import Options, WrongUse
from deepperf.records import Failure, Finding, Report, Step


class Tree(Struct, frozen=True):
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
    trees = [check_tree(start) for start in starts(paths, lambda found: options or found)]
    return merged((tree, shown_reports(tree)) for tree in trees)


def merged(trees: Iterable[tuple[Tree, Iterable[Report]]]) -> tuple[Report, ...]:
    """The reports of several projects in order of path, each file's once.

    Of projects within each other the inner one speaks for its files.
    """
    by_path: dict[str, Report] = {}
    for _, reports in sorted(trees, key=lambda pair: len(os.fspath(pair[0].root))):
        by_path.update((report.path, report) for report in reports)
    return tuple(by_path[path] for path in sorted(by_path))


def at_level(report: Report, options: Options) -> Report:
    """The report with the findings hidden that are below the level shown in its file.

    Of what failed that is left out for which nothing of this level is missing.
    """
    if not (report.findings or report.known or report.failures):
        return report
    level = level_in(report.path, options)
    below = tuple(finding for finding in report.findings if finding.level < level)
    kept, known = (
        tuple(finding for finding in group if finding.level >= level)
        for group in (report.findings, report.known)
    )
    return replace(
        report,
        findings=kept,
        known=known,
        hidden=(*report.hidden, *below),
        failures=tuple(failure for failure in report.failures if failure.level >= level),
    )


def starts(
    paths: Iterable[str | os.PathLike[str]],
    override: Callable[[Options], Options],
    settings: Settings = load_options,
) -> tuple[Start, ...]:
    """`paths` by project and settings file; `override` has the last word on the settings.

    Raises `WrongUse` for a path that does not exist.
    """
    grouped: dict[tuple[Path, Path | None], Start] = {}
    for given in paths:
        path = Path(given)
        if why := unusable(path):
            raise WrongUse(f"{path}: {why}")
        folder = path if os.path.isdir(path) else path.parent
        root, kind = project_root(folder)
        options, config = settings(folder)
        start = grouped.get((root, config)) or Start(root, kind, (), override(options), config)
        grouped[root, config] = structs.replace(start, paths=(*start.paths, path))
    return tuple(grouped.values())


def shown_reports(tree: Tree) -> tuple[Report, ...]:
    """A tree's reports, with paths as the user sees them, and hidden what is below the level.

    What failed about folders comes in reports of their own.
    """
    reports = [at_level(report, tree.options) for report in tree.reports]
    reports += [Report(f.location.path, failures=(f,)) for f in tree.failures]
    shown = shown_name(tree.root, os.getcwd())
    return tuple(relocated(report, shown) for report in reports)


def shown_name(root: Path, here: str) -> Callable[[str], str]:
    """How to show a path that counts from `root` to somebody who works in `here`."""
    inside = relative_name(root, Path(here))
    if inside == ".":
        return lambda path: path
    if inside != ".." and not inside.startswith("../"):
        return lambda path: inside if path == "." else f"{inside}/{path}"
    whole = root.as_posix().rstrip("/")
    above = relative_name(Path(here), root) + "/"

    def shown(path: str) -> str:
        return path[len(above) :] if path.startswith(above) else f"{whole}/{path}"

    return shown


def relocated(report: Report, shown: Callable[[str], str]) -> Report:
    """The report with every path in it shown otherwise."""

    def move(finding: Finding) -> Finding:
        location = replace(finding.location, path=shown(finding.location.path))
        path, related = (
            tuple(Step(replace(s.location, path=shown(s.location.path)), s.text) for s in steps)
            for steps in (finding.path, finding.related)
        )
        return replace(finding, location=location, path=path, related=related)

    if not (report.findings or report.hidden or report.suppressed or report.failures):
        return replace(report, path=shown(report.path))
    return replace(
        report,
        path=shown(report.path),
        findings=tuple(map(move, report.findings)),
        hidden=tuple(map(move, report.hidden)),
        suppressed=tuple(map(move, report.suppressed)),
        failures=tuple(
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
    begin = time.time_ns()
    found = survey(start)
    key = _key(start, found, engine) if options.cache else ""
    reports = _remembered(found, cache.load_marks(start.cache_folder, key)) if key else None
    if reports is None:
        from deepperf.check.fresh import check_afresh

        known = cache.load_records(start.cache_folder, key) if key else {}
        with settings_of(start.config):
            records = check_afresh(start, found, known, engine, progress)
        if options.cache:
            cache.save_records(start.cache_folder, key, records, begin)
        reports = _reports(found, {path: record.mark for path, record in records.items()})
    return Tree(start.root, options, reports, found.failures)


def _key(start: Start, found: Survey, engine: Engine) -> str:
    options = start.options
    return cache.cache_key(
        engine.stamp(),
        options.select,
        options.ignore,
        options.preview,
        sorted(options.framework_versions.items()),
        sorted(options.per_file_ignores.items()),
        version_files_stamp(start.root),
        found.metadata,
    )


def _remembered(found: Survey, known: Mapping[str, Mark]) -> tuple[Report, ...] | None:
    """The reports, if what is remembered answers everything, judged by sizes and dates alone."""
    if len(known) != len(found.context):
        return None
    for path, size, mtime_ns in found.context:
        mark = known.get(path)
        if mark is None or mark.size != size or mark.mtime_ns != mtime_ns:
            return None
    for path in found.wanted:
        needed = State.CHECKED if path in found.named else State.IRRELEVANT
        if known[path].state < needed:
            return None
    return _reports(found, known)


def _reports(found: Survey, known: Mapping[str, Mark]) -> tuple[Report, ...]:
    """What is known of the files to check."""
    return tuple(
        Report(path, left_out=True)
        if known[path].generated and path not in found.named
        else known[path].report or Report(path)
        for path in found.wanted
    )
