"""Remembers reports between runs, in one file per project and setting.

The file is JSON: a cache that came with somebody's repository must not be able to do more
than be wrong. One that cannot be read, or is of another make, is as good as none.
"""

from __future__ import annotations

import enum
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from deepperf import __version__
from deepperf.records import (
    Edit,
    Failure,
    Finding,
    Fix,
    Level,
    Location,
    Report,
    Role,
    Safety,
    Step,
)

FOLDER = ".deepperf_cache"
FORMAT = 4
KEPT = 16
"""Files kept per project: two for each set of options used of late, and the walks."""

_TAG = """Signature: 8a477f597d28d172789f06886806bc55
# This folder holds what deepperf remembers of its last runs; it may be deleted at any time.
"""


class State(enum.IntEnum):
    """What is known of a file."""

    UNCHECKED = 0
    IRRELEVANT = 1
    CHECKED = 2


class Mark(NamedTuple):
    """What a run that changes nothing asks of a file; `report` is encoded, None for an empty one.

    `generated` is whether a program wrote the file, 0 or 1. Named tuples, for some thousands are
    made from JSON at every start.
    """

    size: int
    mtime_ns: int
    state: int
    report: list[Any] | None
    generated: int = 0


class Record(NamedTuple):
    """What one run learnt of one file: its mark, and what the report rests on.

    `links` stands for the files of the project that it imports.
    """

    mark: Mark
    digest: str
    touched: list[str]
    asked: list[str]
    links: str


def cache_key(*parts: object) -> str:
    """A name for everything besides the files that a report depends on."""
    whole = (FORMAT, __version__, sys.version_info[:3], *parts)
    return hashlib.blake2b(
        repr(whole).encode("utf-8", "backslashreplace"), digest_size=8
    ).hexdigest()


def digest_of(data: bytes) -> str:
    """A short hash of a file's content."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def package_stamp(folder: Path | None = None) -> str:
    """A hash of the names, sizes and dates of our own code, tables and evidence."""
    folder = folder or Path(__file__).parents[1]
    marks = hashlib.blake2b(digest_size=8)
    for path, status in sorted(_package_files(str(folder))):
        marks.update(f"{path}\0{status}\0".encode("utf-8", "surrogateescape"))
    return marks.hexdigest()


def _package_files(folder: str) -> Iterator[tuple[str, str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _package_files(entry.path)
            elif entry.name.endswith((".py", ".toml", ".json")):
                status = entry.stat()
                yield entry.path, f"{status.st_size} {status.st_mtime_ns}"


def project_folder(root: Path) -> Path:
    """Where a project's own cache lies."""
    return root / FOLDER


def user_folder(root: Path) -> Path:
    """Where the cache lies for a root that is nobody's project: in the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = hashlib.blake2b(os.fsencode(root), digest_size=8).hexdigest()
    return Path(base) / "deepperf" / name


def load_json(folder: Path, name: str) -> Any:
    """What was saved under a name, None if there is nothing that can be read."""
    try:
        document = json.loads((folder / f"{name}.json").read_bytes())
        return document["content"] if document["name"] == name else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def save_json(folder: Path, name: str, content: object) -> None:
    """Leave something for the next run; does nothing where that is not possible."""
    temporary = folder / f"{name}.{os.getpid()}.tmp"
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
            (folder / "CACHEDIR.TAG").write_text(_TAG, encoding="utf-8")
        document = {"name": name, "content": content}
        temporary.write_text(json.dumps(document, separators=(",", ":")), encoding="ascii")
        os.replace(temporary, folder / f"{name}.json")
        _prune(folder)
    except (OSError, ValueError):
        return


def load_marks(folder: Path, key: str) -> Mapping[str, Mark]:
    """The marks that the last run with this key left, or nothing."""
    try:
        return {path: Mark(*entry) for path, entry in load_json(folder, key)["files"].items()}
    except (TypeError, KeyError, AttributeError):
        return {}


def load_records(folder: Path, key: str) -> Mapping[str, Record]:
    """All that the last run with this key left, or nothing."""
    marks, grounds = load_json(folder, key), load_json(folder, key + _GROUNDS)
    try:
        if marks["run"] != grounds["run"]:
            return {}
        return {
            path: Record(Mark(*mark), *grounds["files"][path])
            for path, mark in marks["files"].items()
        }
    except (TypeError, KeyError, AttributeError):
        return {}


def save_records(folder: Path, key: str, records: Mapping[str, Record], now: int) -> None:
    """Leave records for the next run. `now`, in nanoseconds, is from before files were read:
    the date of a file written since then is not trusted, for another change may bear it.

    What reports rest on is many times as long as the marks, and read only after a change: it
    lies apart. What two runs at a time leave of each other is told by the run's number.
    """
    run = f"{now}-{os.getpid()}"
    marks = {
        path: mark if mark.mtime_ns < now - 100_000_000 else mark._replace(mtime_ns=0)
        for path, (mark, *_) in records.items()
    }
    grounds = {path: record[1:] for path, record in records.items()}
    save_json(folder, key + _GROUNDS, {"run": run, "files": grounds})
    save_json(folder, key, {"run": run, "files": marks})


_GROUNDS = "-grounds"


def _prune(folder: Path) -> None:
    files = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    for path in files[:-KEPT]:
        path.unlink(missing_ok=True)


def encode(report: Report) -> list[Any] | None:
    """A report as lists for JSON, None for an empty one."""
    if not (report.findings or report.suppressed or report.failures):
        return None
    return [
        [_finding(finding) for finding in report.findings],
        [_finding(finding) for finding in report.suppressed],
        [[_place(f.location), f.message, f.internal] for f in report.failures],
    ]


def decode(path: str, encoded: list[Any] | None) -> Report:
    """The report that `encode` was given. Raises one of `NONSENSE` for anything else."""
    if encoded is None:
        return Report(path)
    findings, suppressed, failures = encoded
    return Report(
        path,
        tuple(map(_decode_finding, findings)),
        tuple(map(_decode_finding, suppressed)),
        tuple(Failure(Location(*place), text, internal) for place, text, internal in failures),
    )


NONSENSE = (ValueError, TypeError, KeyError, AttributeError)
"""What `decode` raises for something that `encode` did not make."""


def _place(location: Location) -> list[Any]:
    return [
        location.path,
        location.line,
        location.column,
        location.end_line,
        location.end_column,
        location.cell,
    ]


def _finding(finding: Finding) -> list[Any]:
    fix = finding.fix
    return [
        _place(finding.location),
        finding.rule,
        finding.message,
        finding.remedy,
        int(finding.level),
        finding.role.value,
        finding.source_line,
        finding.framework,
        [[_place(step.location), step.text] for step in finding.path],
        fix and [fix.title, [[e.start, e.end, e.text] for e in fix.edits], fix.safety.value],
    ]


def _decode_finding(encoded: list[Any]) -> Finding:
    place, rule, message, remedy, level, role, source_line, framework, steps, fix = encoded
    return Finding(
        Location(*place),
        rule,
        message,
        remedy,
        Level(level),
        Role(role),
        source_line,
        tuple(Step(Location(*at), text) for at, text in steps),
        framework,
        fix and Fix(fix[0], tuple(Edit(*edit) for edit in fix[1]), Safety(fix[2])),
    )
