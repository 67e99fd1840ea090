"""Where scans are kept: Parquet by run and shard, keyed by content, and asked in SQL.

A run that is under way is a folder of JSON lines, in which what is written stays. When all is
done it becomes tables in the order of names, so that two runs that found the same are the same
files. Findings and troubles are kept once for each tree and engine, however often it is met.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from deepperf.config.options import WrongUse
from deepperf.scan.package import Limits, Scanned

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TABLES = ("packages", "tasks", "findings", "troubles")
SHARD = 1000
"""Packages in one file."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ROWS = "rows.jsonl"
_FINDINGS = "findings.jsonl"
_TROUBLES = "troubles.jsonl"


@dataclass(frozen=True, slots=True)
class Run:
    """How a run was made. `seconds` are of elapsed time, 0 until it is done."""

    name: str
    engine: str
    date: str
    source: str
    limits: Limits
    via: str = "local"
    workers: int = 1
    machine: Mapping[str, str | int] | None = None
    versions: Mapping[str, str] | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Journal:
    """The rows of a run under way; `done` are the packages that it has."""

    folder: Path
    rows: IO[bytes]
    findings: IO[bytes]
    troubles: IO[bytes]
    done: frozenset[tuple[str, str]]


def run_file(store: Path, name: str) -> Path:
    """The file that says how a run was made. Raises `WrongUse` for a name that is none."""
    if not _NAME.fullmatch(name):
        raise WrongUse(f"a run cannot be called {name!r}")
    return store / "runs" / f"{name}.json"


def read_run(store: Path, name: str) -> Run:
    """How a run was made. Raises `WrongUse` where there is none of that name."""
    try:
        return msgspec.json.decode(run_file(store, name).read_bytes(), type=Run)
    except (OSError, msgspec.DecodeError):
        known = ", ".join(runs(store)) or "none"
        raise WrongUse(f"{store} has no run {name!r}; it has {known}") from None


def runs(store: Path) -> tuple[str, ...]:
    """The names of the runs that are done."""
    return tuple(sorted(path.name[4:] for path in (store / "packages").glob("run=*")))


@contextmanager
def journal(store: Path, run: Run) -> Iterator[Journal]:
    """A run's rows, those of an earlier try included. Raises `WrongUse` for one of other making."""
    about, folder = run_file(store, run.name), store / "under-way" / run.name
    if run.name in runs(store):
        raise WrongUse(f"{store} has a run {run.name!r} already; name another with --run")
    if about.exists():
        before = read_run(store, run.name)
        if (before.engine, before.limits) != (run.engine, run.limits):
            raise WrongUse(
                f"run {run.name!r} was begun with other rules or limits; name another with --run"
            )
    folder.mkdir(parents=True, exist_ok=True)
    about.parent.mkdir(parents=True, exist_ok=True)
    about.write_bytes(msgspec.json.format(msgspec.json.encode(run)))
    with (
        open(folder / _ROWS, "ab") as rows,
        open(folder / _FINDINGS, "ab") as findings,
        open(folder / _TROUBLES, "ab") as troubles,
    ):
        try:
            fcntl.flock(rows, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise WrongUse(f"run {run.name!r} is under way in another process") from None
        for name in (_ROWS, _FINDINGS, _TROUBLES):
            _mend(folder / name)
        yield Journal(folder, rows, findings, troubles, _done(folder / _ROWS))


def _mend(path: Path) -> None:
    """Cut off a last line that was not written to its end."""
    with open(path, "r+b") as stream:
        end = stream.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - 65536)
            stream.seek(begin)
            found = stream.read(end - begin).rfind(b"\n")
            if found >= 0:
                stream.truncate(begin + found + 1)
                return
            end = begin
        stream.truncate(0)


class _Row(msgspec.Struct):
    package: str
    version: str


def _done(path: Path) -> frozenset[tuple[str, str]]:
    with open(path, "rb") as stream:
        rows = (msgspec.json.decode(line, type=_Row) for line in stream)
        return frozenset((row.package, row.version) for row in rows)


def keep(into: Journal, result: Scanned) -> None:
    """Write a result; once this returns it is there, even if the scan is killed."""
    for stream, items in ((into.findings, result.hits), (into.troubles, result.troubles)):
        stream.writelines(msgspec.json.encode(item) + b"\n" for item in items)
        stream.flush()
    row = {key: value for key, value in asdict(result).items() if key not in ("hits", "troubles")}
    # The last of the three: without it the others do not count.
    into.rows.write(msgspec.json.encode(row) + b"\n")
    into.rows.flush()


def seal(store: Path, run: Run) -> None:
    """Make tables of what a run wrote, and take the lines away."""
    folder = store / "under-way" / run.name
    with opened() as database:
        database.execute(f"SET VARIABLE folder = '{_quoted(folder)}'")
        database.execute(f"SET VARIABLE engine = '{run.engine}'")
        database.execute(_read("load.sql"))
        known = " UNION ALL ".join(
            f"SELECT key FROM {_parquet(store, 'packages', name)}" for name in runs(store)
        )
        database.execute(
            f"CREATE TABLE known AS {known or 'SELECT NULL::VARCHAR AS key WHERE false'}"
        )
        database.execute(_read("seal.sql"))
        (count,) = database.execute("SELECT count(*) FROM ordered").fetchone() or (0,)
        written = {table: folder / table for table in TABLES}
        for table, place in written.items():
            place.mkdir(exist_ok=True)
            for number in range(max(1, -(-count // SHARD))):
                target = place / f"shard-{number:05}.parquet"
                database.execute(
                    f"COPY (SELECT * EXCLUDE (place) FROM all_{table} WHERE place // {SHARD} = "
                    f"{number}) TO '{_quoted(target)}' (FORMAT parquet, COMPRESSION zstd)"
                )
    about = run_file(store, run.name)
    about.write_bytes(msgspec.json.format(msgspec.json.encode(run)))
    for table in reversed(TABLES):  # the packages last: with them the run is there
        target = store / table / f"run={run.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(target, ignore_errors=True)
        written[table].rename(target)
    shutil.rmtree(folder)


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("'", "''")


def _parquet(store: Path, table: str, run: str = "*") -> str:
    place = _quoted(store / table)
    # A name like a day would become a date.
    by_run = "hive_partitioning = true, hive_types = {run: VARCHAR}"
    return f"read_parquet('{place}/run={run}/*.parquet', {by_run})"


@contextmanager
def opened() -> Iterator[DuckDBPyConnection]:
    """A database of its own."""
    import duckdb

    with duckdb.connect(config={"preserve_insertion_order": "true"}) as database:
        yield database


@contextmanager
def asked(store: Path, judgements: Path | None = None) -> Iterator[DuckDBPyConnection]:
    """A database with the views packages, tasks, findings and troubles, and judgements if given.

    Raises `WrongUse` where no run is done.
    """
    if not runs(store):
        raise WrongUse(f"{store} has no run that is done")
    with opened() as database:
        for table in TABLES:
            database.execute(f"CREATE VIEW stored_{table} AS FROM {_parquet(store, table)}")
        database.execute(_read("views.sql"))
        if judgements is not None:
            from deepperf.scan.judgements import judgement_rows

            load_rows(database, "judgements", judgement_rows(judgements))
        yield database


def load_rows(database: DuckDBPyConnection, table: str, lines: Iterator[bytes]) -> None:
    """Make a table of lines of JSON."""
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".jsonl") as scratch:
        scratch.writelines(lines)
        scratch.flush()
        source = f"read_json('{scratch.name}', format = 'newline_delimited')"
        database.execute(f"CREATE TABLE {table} AS FROM {source}")


def known_trees(store: Path, engine: str) -> Mapping[str, tuple[str, ...]]:
    """The trees of each package's name that these rules have seen."""
    if not runs(store):
        return {}
    with asked(store) as database:
        found = database.execute(
            "SELECT name, list(DISTINCT tree) FROM packages "
            "WHERE key = tree || '-' || ? GROUP BY 1",
            [engine],
        ).fetchall()
    return {name: tuple(trees) for name, trees in found}
