"""The tables of what `run` tells of problems that were planted in whole programs."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

VERDICTS = ("finding", "note", "static only", "not told")
FIRST_SIGHTS = ("six", "seven", "eight", "nine")
"""The folders of the programs whose first sight was counted: of all but the first one the programs
are there, too."""
WEIGHTS = ("heavy", "medium", "small")


def planted_table(root: Path) -> str:
    """The counts of the newest file of verdicts, by program."""
    return _table(max((root / "evaluation" / "planted").glob("*.csv")))


def sight_tables(root: Path, folder: str) -> str:
    """The same of each file of programs that were counted at first sight, the first one first."""
    files = sorted((root / "evaluation" / "planted" / folder).glob("*.csv"))
    return "\n\n".join(map(_table, files))


def _table(file: Path) -> str:
    with file.open(encoding="utf-8", newline="") as stream:
        read = list(csv.DictReader(stream))
    counts = Counter((row["program"], row["verdict"]) for row in read)
    rows = [
        f"{file.stem}, {len(read)} problems.",
        "",
        f"| program | problems | {' | '.join(VERDICTS)} |",
        f"|---|---|{'---|' * len(VERDICTS)}",
    ]
    for program in sorted({row["program"] for row in read}):
        found = [counts[program, verdict] for verdict in VERDICTS]
        rows.append(f"| {program} | {sum(found)} | {' | '.join(map(str, found))} |")
    by_weight = Counter((row["weight"], row["verdict"]) for row in read)
    for weight in WEIGHTS:
        found = [by_weight[weight, verdict] for verdict in VERDICTS]
        rows.append(f"| *{weight}* | {sum(found)} | {' | '.join(map(str, found))} |")
    whole = [sum(row["verdict"] == verdict for row in read) for verdict in VERDICTS]
    rows.append(f"| all | {len(read)} | {' | '.join(map(str, whole))} |")
    return "\n".join(rows)
