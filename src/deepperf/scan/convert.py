"""Runs that an earlier deepperf wrote as JSON lines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from deepperf.scan.corpus import CorpusError
from deepperf.scan.package import Hit, Scanned, Spent, Tree, Trouble

FORMAT = 1

Record = TypeVar("Record", Hit, Trouble)


def read_lines(path: Path) -> tuple[Scanned, ...]:
    """The results in a file of JSON lines. Raises `CorpusError` naming the line that is wrong.

    Which tree a package had then is not known: it counts as one of its own.
    """
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
    return tuple(
        Scanned(
            package=package,
            version=version,
            tree=Tree(
                digest=_digest(path, package, version), files=row["files"], lines=row["lines"]
            ),
            spent=Spent(seconds=row["seconds"]),
            hits=tuple(hits.get((package, version), ())),
            troubles=tuple(troubles.get((package, version), ())),
        )
        for (package, version), row in sorted(packages.items())
    )


def _digest(path: Path, package: str, version: str) -> str:
    whole = f"{path.name}\0{package}\0{version}".encode()
    return "lines-" + hashlib.blake2b(whole, digest_size=16).hexdigest()


def _record(kind: type[Record], row: dict[str, Any]) -> Record:
    known = {field.name for field in fields(kind)}
    values = {name: value for name, value in row.items() if name in known}
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
