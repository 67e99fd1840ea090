"""Findings that were there before: those of a baseline file, or of an earlier revision."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from deepperf.check.files import relative_name
from deepperf.config.options import WrongUse
from deepperf.records import Finding, Report

FILE = "deepperf-baseline.json"
VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A finding that was there before; `message` is for those who read the file."""

    path: str
    rule: str
    fingerprint: str
    statement: str
    message: str = ""


_SAME: tuple[Callable[[Entry], tuple[str, ...]], ...] = (
    lambda entry: (entry.path, entry.fingerprint),
    lambda entry: (entry.fingerprint,),  # moved to another file
    lambda entry: (entry.path, entry.statement),  # in a function of another name
)
"""What makes two entries the same finding, the surest first."""


def with_known(reports: Iterable[Report], entries: Sequence[Entry]) -> tuple[Report, ...]:
    """The reports with each finding set apart as known that is one of the entries.

    An entry stands for one finding. Hidden and silenced findings take theirs, too.
    """
    reports = tuple(reports)
    known = _known((f for report in reports for f in _all_of(report)), entries)
    return tuple(_set_apart(report, known) for report in reports)


def _known(findings: Iterable[Finding], entries: Sequence[Entry]) -> set[int]:
    """The identities of the findings that are entries."""
    known: set[int] = set()
    pending = [(id(finding), entry_of(finding)) for finding in findings]
    left = list(entries)
    for key in _SAME:
        by_key: dict[tuple[str, ...], list[Entry]] = {}
        for entry in reversed(left):
            by_key.setdefault(key(entry), []).append(entry)
        for identity, entry in pending:
            if by_key.get(key(entry)):
                by_key[key(entry)].pop()
                known.add(identity)
        pending = [(identity, entry) for identity, entry in pending if identity not in known]
        left = [entry for same in by_key.values() for entry in same]
    return known


def _all_of(report: Report) -> Iterator[Finding]:
    yield from (*report.findings, *report.hidden, *report.suppressed)


def _set_apart(report: Report, known: set[int]) -> Report:
    before = tuple(finding for finding in report.findings if id(finding) in known)
    if not before:
        return report
    left = tuple(finding for finding in report.findings if id(finding) not in known)
    return replace(report, findings=left, known=(*report.known, *before))


def entry_of(finding: Finding) -> Entry:
    """What is remembered of a finding."""
    path = finding.location.path
    return Entry(path, finding.rule, finding.fingerprint, finding.statement, finding.message)


def write_baseline(file: Path, findings: Iterable[Finding]) -> None:
    """Write a baseline, a finding a line. Raises `WrongUse` where that is not possible."""
    entries = sorted(
        replace(entry, path=_moved(entry.path, os.getcwd(), file.parent))
        for entry in map(entry_of, findings)
    )
    rows = ",\n".join(f"  {json.dumps(asdict(entry))}" for entry in entries)
    text = f'{{\n "version": {VERSION},\n "findings": [\n{rows}\n ]\n}}\n'
    try:
        file.write_text(text, encoding="ascii")
    except OSError as error:
        raise WrongUse(f"{file}: {(error.strerror or str(error)).lower()}") from None


def read_baseline(file: Path) -> tuple[Entry, ...]:
    """The findings of a baseline, with paths as reports have them.

    Raises `WrongUse` for a file that is none.
    """
    try:
        document = json.loads(file.read_bytes())
        if document["version"] != VERSION:
            raise WrongUse(f"{file}: a baseline of version {document['version']!r}, not {VERSION}")
        entries = [Entry(**entry) for entry in document["findings"]]
        return tuple(
            replace(entry, path=_moved(entry.path, file.parent, os.getcwd())) for entry in entries
        )
    except OSError as error:
        raise WrongUse(f"{file}: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise WrongUse(f"{file}: no baseline; write one with deepperf baseline") from None


def _moved(path: str, start: str | os.PathLike[str], end: str | os.PathLike[str]) -> str:
    """A path that counts from one folder, as it counts from another; outside of it, absolute."""
    whole = os.path.join(os.path.abspath(start), path)
    inside = relative_name(Path(whole), Path(os.path.abspath(end)))
    return whole.replace(os.sep, "/") if inside.startswith(os.pardir) else inside
