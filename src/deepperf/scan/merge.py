"""Results of many tasks as one file: JSON lines, in an order that does not depend on the run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from deepperf.scan.corpus import CorpusError
from deepperf.scan.task import Hit, Scanned, Trouble

FORMAT = 1

Row = TypeVar("Row", Hit, Trouble)


@dataclass(frozen=True, slots=True)
class ScanRun:
    """The results of one run over packages, by package."""

    results: tuple[Scanned, ...]

    @property
    def hits(self) -> tuple[Hit, ...]:
        return tuple(hit for result in self.results for hit in result.hits)


def merge(results: Iterable[Scanned]) -> ScanRun:
    """One run out of the results of its tasks, whatever the order in which they came."""
    return ScanRun(tuple(sorted(results, key=lambda result: (result.package, result.version))))


def write_run(run: ScanRun, path: Path) -> None:
    """Write `run` to the file `path`, one JSON object per line."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in _rows(run)), encoding="utf-8")


def _rows(run: ScanRun) -> Iterator[dict[str, Any]]:
    yield {"record": "scan", "format": FORMAT}
    for result in run.results:
        yield {
            "record": "package",
            "package": result.package,
            "version": result.version,
            "files": result.files,
            "lines": result.lines,
            "seconds": round(result.seconds, 3),
        }
        for trouble in result.troubles:
            yield {"record": "trouble", **asdict(trouble)}
        for hit in result.hits:
            yield {"record": "hit", **asdict(hit)}


def read_run(path: Path) -> ScanRun:
    """The run in the file `path`. Raises `CorpusError` naming the line that is not right."""
    packages: dict[tuple[str, str], dict[str, Any]] = {}
    hits: dict[tuple[str, str], list[Hit]] = {}
    troubles: dict[tuple[str, str], list[Trouble]] = {}
    for number, row in _parsed(path):
        try:
            key = (row.get("package", ""), row.get("version", ""))
            match row["record"]:
                case "scan":
                    if row["format"] != FORMAT:
                        raise CorpusError(f"{path}: format {row['format']} is not {FORMAT}")
                case "package":
                    packages[key] = row
                case "hit":
                    hits.setdefault(key, []).append(_record(Hit, row))
                case "trouble":
                    troubles.setdefault(key, []).append(_record(Trouble, row))
                case other:
                    raise CorpusError(f"{path}:{number}: unknown record {other!r}")
        except (KeyError, TypeError) as error:
            raise CorpusError(f"{path}:{number}: not a record of a scan ({error})") from error
    return merge(
        Scanned(
            package=package,
            version=version,
            files=row["files"],
            lines=row["lines"],
            seconds=row["seconds"],
            hits=tuple(hits.get((package, version), ())),
            troubles=tuple(troubles.get((package, version), ())),
        )
        for (package, version), row in packages.items()
    )


def _record(kind: type[Row], row: dict[str, Any]) -> Row:
    values = {field.name: row[field.name] for field in fields(kind)}
    if "steps" in values:
        values["steps"] = tuple(values["steps"])
    return kind(**values)


def _parsed(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    for number, line in enumerate(text.splitlines(), 1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise CorpusError(f"{path}:{number}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise CorpusError(f"{path}:{number}: not a record of a scan")
        yield number, row
