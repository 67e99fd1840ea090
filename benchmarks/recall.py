"""How many of the problems that a reader listed in public code `deepperf check` tells.

    python -m benchmarks.recall --listed evaluation/modern/listed.csv --clones FOLDER --output FILE

The list has a row for each problem: repository (owner/name), commit, file, line, cause, weight,
kind. `FOLDER/owner__name` holds each repository at its commit. A row counts as told where its line
is the line of a finding, or one of the related places or steps of a finding.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

Places = dict[tuple[str, int], set[tuple[str, str]]]


def told_places(folder: Path) -> tuple[Places, list[dict[str, Any]]]:
    """Each place that some finding names, with rule and level, and all findings."""
    command = [sys.executable, "-m", "deepperf", "check", ".", "--level", "note", "--no-cache"]
    done = subprocess.run(
        [*command, "--isolated", "--format", "json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stdout)
    places: Places = {}
    for finding in report["findings"]:
        steps = (*finding.get("path", ()), *finding.get("related", ()))
        for location in (finding["location"], *(step["location"] for step in steps)):
            for line in range(location["line"], location["end_line"] + 1):
                key = (location["path"], line)
                places.setdefault(key, set()).add((finding["rule"], finding["level"]))
    return places, report["findings"]


def measured(listed: Path, clones: Path) -> dict[str, Any]:
    with listed.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    told: list[dict[str, object]] = []
    findings: Counter[str] = Counter()
    for repository in sorted({row["repository"] for row in rows}):
        places, found = told_places(clones / repository.replace("/", "__"))
        findings.update(f"{one['level']}" for one in found)
        for row in rows:
            if row["repository"] != repository:
                continue
            said = places.get((row["file"], int(row["line"])), set())
            told.append({**row, "said": sorted(f"{rule}:{level}" for rule, level in said)})
    return {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "listed": len(told),
        "told": sum(bool(row["said"]) for row in told),
        "warned": sum(any(s.endswith(":warning") for s in _said(row)) for row in told),
        "heavy": sum(row["weight"] == "heavy" for row in told),
        "heavy_told": sum(row["weight"] == "heavy" and bool(row["said"]) for row in told),
        "by_kind": {
            kind: [
                sum(bool(row["said"]) for row in told if row["kind"] == kind),
                sum(row["kind"] == kind for row in told),
            ]
            for kind in sorted({str(row["kind"]) for row in told})
        },
        "findings": dict(findings),
        "rows": told,
    }


def _said(row: dict[str, object]) -> list[str]:
    said = row["said"]
    return said if isinstance(said, list) else []


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--listed", type=Path, required=True)
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    result = measured(arguments.listed, arguments.clones)
    arguments.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"told {result['told']} of {result['listed']}, warned of {result['warned']}")
    print(f"of the heavy ones told {result['heavy_told']} of {result['heavy']}")


if __name__ == "__main__":
    main()
