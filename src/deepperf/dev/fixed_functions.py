"""The table of functions of public repositories that were run before and after their fixes."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

FOLDER = Path("evaluation/fixed_functions")
SECOND = "second"
SAFETIES = ("safe", "unsafe")
VERDICTS = ("equal", "differs", "not run")
SILENT = "its page silent"


def fixed_functions_table(root: Path) -> str:
    """What the fixed functions gave beside the originals, of the newest day, by draw and safety."""
    newest = max((root / FOLDER).glob("*.csv")).name[: len("2026-01-31")]
    head = ("functions", "fix", *VERDICTS[:2], f"of these, {SILENT}", *VERDICTS[2:])
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, rows in _draws(root / FOLDER, newest):
        for safety in SAFETIES:
            of_it = [row for row in rows if _safety(row) == safety]
            counts = Counter(map(_verdict, of_it))
            silent = sum(row["verdict"].endswith(SILENT) for row in of_it)
            told = str(silent) if name == SECOND else ""
            cells = (str(counts["equal"]), str(counts["differs"]), told, str(counts["not run"]))
            lines.append(f"| {name}, {len(rows)} | {safety} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"Run on {newest}."])


def _draws(folder: Path, day: str) -> Iterator[tuple[str, list[Mapping[str, str]]]]:
    """The rows of the first draw, which lie in several files, and those of the second."""
    first, second = list[Mapping[str, str]](), list[Mapping[str, str]]()
    for path in sorted(folder.glob(f"{day}*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            (second if path.stem.endswith(SECOND) else first).extend(csv.DictReader(stream))
    yield "first", first
    yield SECOND, second


def _safety(row: Mapping[str, str]) -> str:
    """`unsafe` also where one of several fixes is."""
    return "safe" if row["safety"] == "safe" else "unsafe"


def _verdict(row: Mapping[str, str]) -> str:
    return next((one for one in VERDICTS if row["verdict"].startswith(one)), "not run")
