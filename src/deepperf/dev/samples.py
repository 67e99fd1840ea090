"""The tables of what `check` tells of samples of the catalogue's candidates."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from deepperf.dev.catalogue import Row, kind_of, read_rows

_TOLD = ("warning", "note", "no")
_WHOLE = "all"


def samples_tables(folder: Path, pages: Collection[str]) -> str:
    """The counts of each file of results in a folder of samples, the first one first."""
    candidates = {row.name: row for row in read_rows("candidates")}
    files = sorted(folder.glob("????-??-??*.csv"))
    return "\n\n".join(_table(file, candidates, pages) for file in files)


def _table(file: Path, candidates: Mapping[str, Row], pages: Collection[str]) -> str:
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    counts: Counter[tuple[str, str]] = Counter()
    mended: Counter[str] = Counter()
    for row in rows:
        for kind in (kind_of(candidates[row["candidate"]], pages), _WHOLE):
            counts[kind, row["told"]] += 1
            mended[kind] += bool(row["mended"])
    lines = [
        f"{file.stem}, {len(rows)} samples.",
        "",
        "| answered by | samples | warning | note | not told | mended side not silent |",
        "|---|---|---|---|---|---|",
    ]
    for kind in ("rule", "signal", "out of scope", _WHOLE):
        told = [counts[kind, one] for one in _TOLD]
        lines.append(f"| {kind} | {sum(told)} | {' | '.join(map(str, told))} | {mended[kind]} |")
    return "\n".join(lines)
