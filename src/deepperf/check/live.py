"""A project that is checked again and again while its texts change: what an editor asks.

A `Live` is a value: an edit gives another one, which holds the reports that the edit did not
reach. Of the project only the files that somebody asks about are checked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, field, structs

from deepperf.check.cache import Record, State
from deepperf.check.engine import Engine
from deepperf.check.files import Entry
from deepperf.check.fresh import KEPT_TEXT, project_in, rests_of, unchecked
from deepperf.check.kept import describe, frameworks_of, keep
from deepperf.check.known import read_baseline, with_known
from deepperf.check.paths import at_level, relocated, shown_name
from deepperf.check.run import check_file, silenced_by_path
from deepperf.check.select import Selection
from deepperf.check.sources import FileSources, OverlaidSources
from deepperf.check.survey import Start, Survey, survey
from deepperf.config.load import settings_of
from deepperf.records import Failure, Report
from deepperf.semantics.files.edited import edited
from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source


class Live(Struct, frozen=True):
    """A project at one moment.

    `texts` are the sources that differ from what was on disk at first; `records` hold the files
    that were checked, and what their reports rest on.
    """

    start: Start
    engine: Engine
    selection: Selection
    found: Survey
    files: FileSources
    project: Project
    texts: Mapping[str, Source] = field(default_factory=dict)
    records: Mapping[str, Record] = field(default_factory=dict)


def opened(start: Start, engine: Engine | None = None) -> Live:
    """The project as it lies on disk. Raises `WrongUse` for settings that are wrong."""
    engine = engine or Engine()
    with settings_of(start.config):
        selection = engine.select(start.options)
    found = survey(start)
    files = FileSources(str(start.root), tuple(entry.path for entry in found.context))
    project = project_in(start, files, found.metadata)
    return Live(start, engine, selection, found, files, project)


def with_texts(live: Live, texts: Mapping[str, Source]) -> Live:
    """The project with these texts for some of its files, or for new ones.

    The one before must not be asked any more: what did not change was taken over from it.
    """
    texts = {path: text for path, text in texts.items() if live.project.sources.get(path) != text}
    if not texts:
        return live
    overlaid = {**live.texts, **texts}
    sources = OverlaidSources(overlaid, live.files)
    if any(path not in live.project.sources for path in texts):
        project = project_in(live.start, sources, live.found.metadata)
        return structs.replace(live, texts=overlaid, project=project, records={})
    before = {path: _unread(path) for path in texts if path not in live.records}
    describe(before, {}, live.project, _data_of(live))
    known = {**before, **live.records}
    project = edited(live.project, texts, sources)
    after = structs.replace(live, texts=overlaid, project=project)
    records = {path: _unread(path) for path in known}
    describe(records, known, project, _data_of(after))
    keep(records, known, project)
    held = {path: r for path, r in records.items() if r.mark.state == State.CHECKED}
    return structs.replace(after, records=held)


def checked(live: Live, path: str, pause: Callable[[], None] = lambda: None) -> Live:
    """The project with the report on a file, which `report_on` then tells.

    `pause` is called now and then, and may raise `Interrupted`.
    """
    if path in live.records:
        return live
    failure = live.files.failure(path) if path not in live.texts else None
    record = _unread(path)
    if failure is not None:
        mark = record.mark._replace(report=Report(path, failures=(failure,)))
        return structs.replace(live, records={**live.records, path: record._replace(mark=mark)})
    found = check_file(live.project, path, live.selection, live.engine.look, pause)
    live.project.forget_modules(KEPT_TEXT)
    options = live.start.options
    report = silenced_by_path(found.report, options, live.selection)
    records = {path: record}
    describe(records, {}, live.project, _data_of(live))
    record = records[path]._replace(
        mark=record.mark._replace(state=State.CHECKED, report=report),
        rests=rests_of(found, frameworks_of(live.project)),
    )
    return structs.replace(live, records={**live.records, path: record})


def report_on(live: Live, path: str) -> Report:
    """The report on a file that was checked, as the settings want it shown, with paths as the
    command line shows them.
    """
    options = live.start.options
    report = at_level(live.records[path].mark.report or Report(path), options)
    report = relocated(report, shown_name(live.start.root, os.getcwd()))
    if not options.baseline:
        return report
    return with_known((report,), read_baseline(Path(options.baseline)))[0]


def is_wanted(live: Live, path: str) -> bool:
    """Whether the settings leave a file in, or it is not on disk yet."""
    return path in live.found.wanted or path not in live.files


def _unread(path: str) -> Record:
    return unchecked(Entry(path, 0, 0))


def _data_of(live: Live) -> Callable[[str], bytes | Failure]:
    def data(path: str) -> bytes | Failure:
        text = live.texts.get(path)
        if text is None:
            return live.files.data(path)
        return text.text.encode("utf-8", "surrogatepass")

    return data
