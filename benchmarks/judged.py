"""What `deepperf check` says today where readers judged its findings.

    python -m benchmarks.judged FOLDER... [--verdicts evaluation/modern] [--output FILE]

`judged-*.csv` have a row for each finding that was judged: rule, repository, file, line, level and
verdict. Each `FOLDER/owner__name` holds a repository as it was judged; rows of others are left
out. A finding is still told where one of its rule names its line, also as a related place or step.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.recall import Places, told_places

VERDICTS = Path("evaluation/modern")
COLUMNS = ("rule", "repository", "file", "line", "judged", "verdict", "now")
SILENT = "silent"


class Row(NamedTuple):
    """A finding that was judged: its level when it was, and now."""

    rule: str
    repository: str
    file: str
    line: str
    judged: str
    verdict: str
    now: str


def read(folder: Path) -> list[Row]:
    """All findings that were judged, as if none were told any more."""
    rows = []
    for path in sorted(folder.glob("judged-*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            for one in csv.DictReader(stream):
                repository = one["repository"].replace("/", "__")
                at = (one["rule"], repository, one["file"], one["line"])
                rows.append(Row(*at, one["level"], one["verdict"], SILENT))
    return rows


def now(row: Row, places: Places) -> Row:
    """With the level at which its rule names its line; of a notebook, in any of its cells."""
    said = places.get((row.file, int(row.line.rpartition(":")[2])), set())
    levels = {level for rule, level in said if rule == row.rule}
    return row._replace(now=max(levels, default=SILENT))  # "warning" sorts behind "note"


def measured(rows: Iterable[Row], folders: Sequence[Path]) -> dict[str, Any]:
    found: list[Row] = []
    rows = sorted(set(rows))
    for repository in sorted({row.repository for row in rows}):
        clone = next((path for f in folders if (path := f / repository).is_dir()), None)
        if clone is not None:
            places, _ = told_places(clone)
            found += [now(row, places) for row in rows if row.repository == repository]
    return {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "left_out": len(rows) - len(found),
        "columns": COLUMNS,
        "rows": found,
    }


def written(result: dict[str, Any]) -> str:
    """JSON with a row on each line."""
    rows = ",\n".join(json.dumps(row) for row in result["rows"])
    head = json.dumps({**result, "rows": []}, indent=1).removesuffix("[]\n}")
    return f"{head}[\n{rows}\n]\n}}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--verdicts", type=Path, default=VERDICTS)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    result = measured(read(arguments.verdicts), arguments.folders)
    output = arguments.output or arguments.verdicts / f"standing-{result['date']}.json"
    output.write_text(written(result), encoding="utf-8")
    print(f"{len(result['rows'])} findings, {result['left_out']} left out: {output}")


if __name__ == "__main__":
    main()
