"""The findings of runs as values, to be sampled, judged and counted."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from deepperf.scan.package import Hit
from deepperf.scan.store import asked, read_run

_COLUMNS = (
    "package, version, path, line, col, rule, level, role, message, text, occurrence, steps, "
    "framework, estimate, fingerprint, fix"
)


def hits_of(store: Path, run: str) -> tuple[Hit, ...]:
    """All findings of a run. Raises `WrongUse` where there is none of that name."""
    read_run(store, run)
    with asked(store) as database:
        rows = database.execute(
            f"SELECT {_COLUMNS} FROM findings WHERE run = ? ORDER BY ALL", [run]
        ).fetchall()
    names = [field.name for field in fields(Hit)]
    found = (dict(zip(names, row, strict=True)) for row in rows)
    return tuple(Hit(**{**one, "steps": tuple(one["steps"])}) for one in found)


def scanned_in(store: Path, run: str) -> frozenset[tuple[str, str]]:
    """Name and version of each package that the rules have answered on in a run."""
    read_run(store, run)
    with asked(store) as database:
        rows = database.execute(
            "SELECT name, version FROM packages WHERE run = ? AND key <> ''", [run]
        ).fetchall()
    return frozenset(rows)
