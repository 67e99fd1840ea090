"""Sets apart the findings that a revision had already, in lines that have not changed since."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from msgspec import structs

from deepperf.check.engine import Engine
from deepperf.check.fresh import project_in
from deepperf.check.history import Revision, revision_of
from deepperf.check.known import Entry, entry_of, with_known
from deepperf.check.paths import Tree
from deepperf.check.run import check_file
from deepperf.check.sources import FileSources, NotebookSource, read_bytes, read_text
from deepperf.check.suppress import LINE_END
from deepperf.check.survey import Start, survey
from deepperf.records import Failure, Finding, Report

if TYPE_CHECKING:
    from deepperf.semantics.text.source import Source


@dataclass(frozen=True, slots=True)
class _Before:
    """A file as it is and as it was under a name that it may not have any more."""

    now: Source
    then: Source
    old_path: str


def since(start: Start, tree: Tree, revision: str, engine: Engine) -> Tree:
    """The tree with the findings known that are in unchanged lines and were there before.

    A finding in an unchanged line that a change elsewhere caused is not known. Raises `WrongUse`
    for a revision that is none.
    """
    with revision_of(start.root, revision) as then:
        told = [report for report in tree.reports if report.findings or report.suppressed]
        paths = {entry.path for entry in survey(start).context}
        before = {
            report.path: found
            for report in told
            if (found := _before(str(start.root), report.path, paths, then))
        }
        entries = tuple(_entries(start, then, before.values(), engine))
    touched = {report.path: _touched(report, before.get(report.path)) for report in told}
    reports = with_known(tree.reports, entries)
    return structs.replace(tree, reports=tuple(_told(report, touched) for report in reports))


def _told(report: Report, touched: Mapping[str, frozenset[Finding]]) -> Report:
    """The report with the known findings in changed lines told all the same."""
    again = touched.get(report.path, frozenset()).intersection(report.known)
    if not again:
        return report
    return replace(
        report,
        findings=tuple(sorted((*report.findings, *again))),
        known=tuple(finding for finding in report.known if finding not in again),
    )


def _before(root: str, path: str, paths: set[str], then: Revision) -> _Before | None:
    """The file as it was; of a new one, the gone file of the same content or name."""
    data = read_bytes(root, path)
    if isinstance(data, Failure):
        return None
    old_path = path if path in then.names else _old_path(path, data, paths, then)
    if not old_path:
        return None
    now, old = read_text(path, data), read_text(old_path, then.read(old_path))
    if isinstance(now, Failure) or isinstance(old, Failure):
        return None
    return _Before(now, old, old_path)


def _old_path(path: str, data: bytes, paths: set[str], then: Revision) -> str:
    gone = [name for name in then.names if name not in paths]
    digest = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False)
    same = [name for name in gone if then.names[name] == digest.hexdigest().encode("ascii")]
    named = [name for name in gone if name.rpartition("/")[2] == path.rpartition("/")[2]]
    return same[0] if same else named[0] if len(named) == 1 else ""


def _entries(
    start: Start, then: Revision, before: Iterable[_Before], engine: Engine
) -> Iterator[Entry]:
    """The findings of files as they were, in the project as it was, under their present names."""
    project = project_in(start, _OldSources(then), survey(start).metadata)
    selection = engine.select(start.options)
    for one in before:
        report = check_file(project, one.old_path, selection, engine.look).report
        for finding in (*report.findings, *report.suppressed):
            yield replace(entry_of(finding), path=one.now.path)


class _OldSources(FileSources):
    """The files of a revision."""

    def __init__(self, then: Revision) -> None:
        super().__init__("", tuple(n for n in then.names if n.endswith((".py", ".ipynb"))))
        self._then = then

    def data(self, path: str) -> bytes | Failure:
        return self._then.read(path)


def _touched(report: Report, before: _Before | None) -> frozenset[Finding]:
    """The findings in changed lines."""
    if before is None:
        return frozenset(report.findings)
    changed = _changed_lines(before.then.text, before.now.text)
    return frozenset(
        finding
        for finding in report.findings
        if not changed.isdisjoint(_lines(finding, before.now))
    )


def _lines(finding: Finding, source: Source) -> range:
    """The lines of a finding in the whole text, which joins a notebook's cells."""
    at, first = finding.location, finding.location.line
    if at.cell and isinstance(source, NotebookSource):
        first += next((c.line - 1 for c in source.notebook.cells if c.number == at.cell), 0)
    return range(first, first + at.end_line - at.line + 1)


def _changed_lines(old: str, new: str) -> frozenset[int]:
    matcher = SequenceMatcher(None, LINE_END.split(old), LINE_END.split(new))
    return frozenset(
        line
        for tag, _, _, begin, end in matcher.get_opcodes()
        if tag != "equal"
        for line in range(begin + 1, end + 1)
    )
