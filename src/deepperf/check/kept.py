"""Which reports of the last run still hold after files changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from deepperf.check import cache
from deepperf.check.cache import Record, State
from deepperf.check.edited import Edit, edit_since, marks_of
from deepperf.check.relevant import imported_words
from deepperf.records import Failure, Report

if TYPE_CHECKING:
    from deepperf.semantics.files.project import Project

_WORD = re.compile(r"\w+")
Data = Callable[[str], bytes | Failure]


def describe(
    records: dict[str, Record], known: Mapping[str, Record], project: Project, data: Data
) -> None:
    """Note of each file what it holds; of one with the content of last time, what was noted then.

    What a file imports is told by its own text as long as there are the same files.
    """
    same_files = records.keys() == known.keys()
    for path, record in records.items():
        content = data(path)
        if isinstance(content, Failure):
            continue
        digest = cache.digest_of(content)
        if same_files and digest == known[path].digest:
            _, _, links, pieces, _ = known[path]
        else:
            links = _links(project, path, content)
            pieces = marks_of(project.sources[path].text)
        records[path] = record._replace(digest=digest, links=links, pieces=pieces)


def _links(project: Project, path: str, content: bytes) -> str:
    """A hash of what a file imports: files of the project, and every name."""
    files = "\0".join(sorted(project.imports(path))).encode("utf-8", "surrogateescape")
    words = sorted(imported_words(path, content))
    return cache.digest_of(b"\0".join((files, *words)))[:8]


def frameworks_of(project: Project) -> str:
    """A hash of what something is known of: the frameworks that any file mentions."""
    return cache.digest_of(" ".join(sorted(project.knowledge.frameworks)).encode())[:8]


def keep(records: dict[str, Record], known: Mapping[str, Record], project: Project) -> None:
    """Take over what is remembered of each file that no change can have reached.

    A file is reached by changes of files that it was judged by, by changed imports in files
    that it imports, directly or not, and by words that it was asked about: callers of a function
    name it, in a changed file or in one that changed imports may link. A file that only grew
    reaches those that it says something new to: by a word, or by a name that it gives.
    """
    if records.keys() != known.keys():
        return
    changed = {path for path, record in records.items() if record.digest != known[path].digest}
    relinked = frozenset(path for path in changed if records[path].links != known[path].links)
    linking = relinked | project.importers(relinked) if relinked else relinked
    edits = {path: _edit(project, path, known[path]) for path in changed}
    grown = {p: edit for p, edit in edits.items() if edit.only_grew and p not in linking}
    altered = changed - grown.keys()
    asked: set[str] = set()
    for path in altered.union(linking, *map(project.imports, linking)):
        asked.update(_WORD.findall(project.sources[path].text))
    named = asked if linking else set[str]()
    for edit in edits.values():
        named.update(edit.words)
        asked.update(edit.words)
    frameworks = frameworks_of(project)
    for path, record in records.items():
        old = known[path]
        touched, parts, *words, knowing = old.rests
        reached = (
            path in changed
            or knowing != (frameworks if old.mark.state == State.CHECKED else "")
            or path in linking
            or not altered.isdisjoint((*touched, *parts))
            or not grown.keys().isdisjoint(touched)
            or not asked.isdisjoint(words[0])
            or not named.isdisjoint(words[1])
            or any(_is_told(project, path, old, part, grown[part]) for part in grown.keys() & parts)
        )
        if not reached and record.digest:
            size, mtime_ns, *_ = record.mark
            records[path] = old._replace(mark=old.mark._replace(size=size, mtime_ns=mtime_ns))


def _edit(project: Project, path: str, known: Record) -> Edit:
    return edit_since(known.pieces, project.sources[path].text)


def _is_told(project: Project, path: str, known: Record, grown: str, edit: Edit) -> bool:
    """Whether a file may hear of what was added to another of which it knows parts.

    Its report leads to lines that moved, or it, or what it rests on, has a name that is new.
    """
    if grown in _places(known.mark.report):
        return True
    near = {path, *known.rests.touched, *known.rests.parts} - {grown}
    return any(not near.isdisjoint(project.naming(name)) for name in edit.bound)


def _places(report: Report | None) -> Iterator[str]:
    """The files that a report speaks of."""
    if report is None:
        return
    for finding in (*report.findings, *report.hidden, *report.suppressed, *report.known):
        yield from (step.location.path for step in (*finding.path, *finding.related))
        if finding.cause is not None:
            yield finding.cause.path
