"""The table of functions of public repositories that were run before and after their fixes."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

FOLDER = Path("evaluation/fixed_functions")
SAFETIES = ("safe", "unsafe")
VERDICTS = ("equal", "differs", "not run")


def fixed_functions_table(root: Path) -> str:
    """What the fixed functions gave beside the originals, of the newest day, by safety."""
    newest = max((root / FOLDER).glob("*.csv")).name[: len("2026-01-31")]
    counts: Counter[tuple[str, str]] = Counter()
    for path in sorted((root / FOLDER).glob(f"{newest}*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            counts.update((_safety(row), _verdict(row)) for row in csv.DictReader(stream))
    lines = ["| fix | " + " | ".join(VERDICTS) + " |", "|---|---|---|---|"]
    for safety in SAFETIES:
        row = " | ".join(str(counts[safety, verdict]) for verdict in VERDICTS)
        lines.append(f"| {safety} | {row} |")
    return "\n".join([*lines, "", f"{sum(counts.values())} functions, {newest}."])


def _safety(row: dict[str, str]) -> str:
    """`unsafe` also where one of several fixes is."""
    return "safe" if row["safety"] == "safe" else "unsafe"


def _verdict(row: dict[str, str]) -> str:
    return next((one for one in VERDICTS if row["verdict"].startswith(one)), "not run")
