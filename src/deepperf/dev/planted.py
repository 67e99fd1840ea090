"""The table of what `run` tells of problems that were planted in whole programs."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

VERDICTS = ("finding", "note", "static only", "not told")


def planted_table(root: Path) -> str:
    """The counts of the newest file of verdicts, by program."""
    newest = max((root / "evaluation" / "planted").glob("*.csv"))
    with newest.open(encoding="utf-8", newline="") as stream:
        read = list(csv.DictReader(stream))
    counts = Counter((row["program"], row["verdict"]) for row in read)
    rows = [
        f"{newest.stem}, {len(read)} problems.",
        "",
        f"| program | problems | {' | '.join(VERDICTS)} |",
        f"|---|---|{'---|' * len(VERDICTS)}",
    ]
    for program in sorted({row["program"] for row in read}):
        found = [counts[program, verdict] for verdict in VERDICTS]
        rows.append(f"| {program} | {sum(found)} | {' | '.join(map(str, found))} |")
    whole = [sum(row["verdict"] == verdict for row in read) for verdict in VERDICTS]
    rows.append(f"| all | {len(read)} | {' | '.join(map(str, whole))} |")
    return "\n".join(rows)
