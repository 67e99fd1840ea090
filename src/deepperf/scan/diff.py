"""Alarms gained and lost between two runs, known again where lines have moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.scan.store import asked, read_run

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# A package is compared with its next version: by its name, unless a run has several versions.
_CHANGES = """
CREATE TABLE labelled AS
SELECT run, name, version, key, name || CASE
    WHEN count(*) OVER (PARTITION BY run, name) = 1 THEN '' ELSE '-' || version END AS label
FROM packages WHERE run IN ($old, $new) AND key <> '';

CREATE TABLE compared AS
SELECT o.label, o.key AS old_key, n.key AS new_key
FROM (FROM labelled WHERE run = $old) o JOIN (FROM labelled WHERE run = $new) n USING (label);

CREATE TABLE apart AS
SELECT DISTINCT label FROM labelled WHERE label NOT IN (SELECT label FROM compared);

CREATE VIEW old_hits AS SELECT label, f.* FROM compared c JOIN stored_findings f
    ON f.key = c.old_key WHERE old_key <> new_key;
CREATE VIEW new_hits AS SELECT label, f.* FROM compared c JOIN stored_findings f
    ON f.key = c.new_key WHERE old_key <> new_key;

CREATE TABLE changes AS
SELECT 'gained' AS change, * FROM new_hits ANTI JOIN old_hits
    USING (label, path, rule, text, occurrence)
UNION ALL
SELECT 'lost' AS change, * FROM old_hits ANTI JOIN new_hits
    USING (label, path, rule, text, occurrence);
"""


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """An alarm that only one of two runs has; `package` is what both call the package."""

    rule: str
    package: str
    path: str
    line: int
    text: str
    level: str


@dataclass(frozen=True, slots=True)
class Difference:
    """The alarms that only the later run has, and those that only the earlier one has.

    `counts` has both numbers for each rule, also where the lists are cut short. `apart` names
    packages that only one of the runs looked at; their hits are in neither.
    """

    gained: tuple[Change, ...]
    lost: tuple[Change, ...]
    counts: Mapping[str, tuple[int, int]]
    packages: int
    apart: tuple[str, ...]


def difference(store: Path, old: str, new: str, most: int) -> Difference:
    """What changed from run `old` to run `new`: at most so many alarms, but all are counted."""
    for name in (old, new):
        read_run(store, name)
    with asked(store) as database:
        for statement in _CHANGES.split(";\n\n"):
            named = {
                name: value
                for name, value in (("old", old), ("new", new))
                if f"${name}" in statement
            }
            database.execute(statement, named or None)
        counts = database.execute(
            "SELECT rule, count(*) FILTER (change = 'gained'), count(*) FILTER (change = 'lost') "
            "FROM changes GROUP BY rule ORDER BY rule"
        ).fetchall()
        (packages,) = database.execute("SELECT count(*) FROM compared").fetchone() or (0,)
        apart = database.execute("SELECT label FROM apart ORDER BY label").fetchall()
        return Difference(
            _changes(database, "gained", most),
            _changes(database, "lost", most),
            {rule: (gained, lost) for rule, gained, lost in counts},
            packages,
            tuple(label for (label,) in apart),
        )


def _changes(database: DuckDBPyConnection, which: str, most: int) -> tuple[Change, ...]:
    rows = database.execute(
        "SELECT rule, label, path, line, text, level FROM changes WHERE change = ? "
        "ORDER BY ALL LIMIT ?",
        [which, most],
    ).fetchall()
    return tuple(Change(*row) for row in rows)
