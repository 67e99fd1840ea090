"""One scan on several engines: whether they found the same, and what it took.

    python -m benchmarks.scan STORE:RUN STORE:RUN --simulated simulated.json --copies 100000

Kept are counts and times for each package, none of its code. `--copies` also times `scan diff`
between two runs over so many packages, made of copies of the first run's.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

from deepperf.scan.diff import difference
from deepperf.scan.package import Limits
from deepperf.scan.store import TABLES, Run, asked, read_run, runs

RESULTS = Path(__file__).parent / "results" / "scan"
CHANGED = 33
"""Of so many findings one is lost in the second of the runs that are compared."""
_PACKAGES = """
SELECT p.name, p.version, p.lines, p.bytes, t.state, round(t.seconds, 2), round(t.elapsed, 2),
    t.peak // 1048576,
    (SELECT count(*) FROM stored_findings f WHERE f.key = p.key AND f.level <> 'note'),
    (SELECT count(*) FROM stored_findings f WHERE f.key = p.key AND f.level = 'note'),
    (SELECT count(*) FROM stored_troubles o WHERE o.key = p.key)
FROM packages p JOIN tasks t USING (run, name, version) WHERE p.run = $run ORDER BY 1, 2
"""
COLUMNS = (
    "name", "version", "lines", "bytes", "state", "seconds", "elapsed", "peak MiB", "warnings",
    "notes", "troubles",
)  # fmt: skip
_RULES = """
SELECT rule, count(*) FILTER (level <> 'note'), count(*) FILTER (level = 'note'),
    count(DISTINCT package)
FROM findings WHERE run = $run GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1
"""
# What a package gave, for comparison: nothing of it depends on the machine.
_TOLD = """
SELECT p.name, p.version, p.tree, md5(string_agg(concat_ws('|', f.path, f.line, f.col, f.rule,
    f.level, f.message), chr(10) ORDER BY f.path, f.line, f.col, f.rule, f.message))
FROM packages p LEFT JOIN stored_findings f USING (key)
WHERE p.run = $run AND p.key <> '' GROUP BY ALL
"""


def measured(places: list[tuple[Path, str]]) -> dict[str, Any]:
    """What runs of the same packages took, and which packages gave other findings."""
    every, told = [], []
    for store, name in places:
        run = read_run(store, name)
        with asked(store) as database:
            packages = database.execute(_PACKAGES, {"run": name}).fetchall()
            told.append(
                {row[:2]: row[2:] for row in database.execute(_TOLD, {"run": name}).fetchall()}
            )
            rules = database.execute(_RULES, {"run": name}).fetchall()
        every.append(
            {
                "via": run.via,
                "workers": run.workers,
                "seconds": round(run.seconds, 1),
                "engine": run.engine,
                "packages": packages,
                "rules": rules,
            }
        )
    run = read_run(*places[0])
    common = set.intersection(*map(set, told))
    return {
        "date": run.date,
        "machine": run.machine,
        "versions": run.versions,
        "limits": {"memory": run.limits.memory, "seconds": run.limits.seconds},
        "columns": COLUMNS,
        "engines": every,
        "compared": len(common),
        "unlike": sorted(key for key in common if len({one[key] for one in told}) > 1),
    }


def many(store: Path, name: str, count: int) -> dict[str, Any]:
    """How long `scan diff` takes between two runs over `count` copies of a run's packages."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for run, lost in (
            ("old", ""),
            ("new", f"AND hash(f.key, path, line, rule) % {CHANGED} > 0"),
        ):
            _copy(store, name, folder, run, count, lost)
        assert runs(folder) == ("new", "old")
        with asked(folder) as database:
            counted = database.execute("SELECT count(*) FROM stored_findings").fetchone()
        begin = time.monotonic()
        change = difference(folder, "old", "new", 200)
        seconds = time.monotonic() - begin
    return {
        "packages": change.packages,
        "findings": counted[0] if counted else 0,
        "lost": sum(lost for _, lost in change.counts.values()),
        "gained": sum(gained for gained, _ in change.counts.values()),
        "seconds": round(seconds, 1),
    }


def _copy(store: Path, name: str, folder: Path, run: str, count: int, lost: str) -> None:
    about = folder / "runs" / f"{run}.json"
    about.parent.mkdir(exist_ok=True)
    about.write_bytes(msgspec.json.encode(Run(run, run, "", "copies", Limits())))
    with asked(store) as database:
        (have,) = database.execute(
            "SELECT count(*) FROM packages WHERE run = ?", [name]
        ).fetchone() or (1,)
        copies = f"(SELECT range AS n FROM range({-(-count // have)}))"
        key = f"f.key || '-' || n || '-{run}' AS key"
        queries = {
            "packages": f"SELECT f.* EXCLUDE (run) REPLACE (name || '-' || n AS name, {key}) "
            f"FROM packages f, {copies} WHERE f.run = '{name}' AND f.key <> '' LIMIT {count}",
            "findings": f"SELECT f.* EXCLUDE (run) REPLACE ({key}) "
            f"FROM stored_findings f, {copies} WHERE true {lost}",
        }
        for table in TABLES:
            place = folder / table / f"run={run}"
            place.mkdir(parents=True)
            sql = queries.get(table, f"SELECT * EXCLUDE (run) FROM stored_{table} LIMIT 0")
            database.execute(f"COPY ({sql}) TO '{place / 'shard-00000.parquet'}' (FORMAT parquet)")


def main() -> None:
    """Write the result below `benchmarks/results/scan`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="+", metavar="STORE:RUN")
    parser.add_argument("--simulated", type=Path, metavar="FILE", help="of `scan simulate`")
    parser.add_argument("--copies", type=int, default=0)
    arguments = parser.parse_args()
    pairs = (place.rpartition(":") for place in arguments.places)
    places = [(Path(store), run) for store, _, run in pairs]
    result = measured(places)
    if arguments.simulated:
        result["simulated"] = json.loads(arguments.simulated.read_text(encoding="utf-8"))
    if arguments.copies:
        result["diff"] = many(*places[0], arguments.copies)
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{result['date']}.json"
    text = json.dumps(result, indent=1)
    # A row to a line.
    lines = text.replace("\n     ", " ").replace("\n    ]", "]")
    path.write_text(lines + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
