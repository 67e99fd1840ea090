"""A rule warns only where readers called enough of its warnings worth a change, else it notes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from deepperf.dev.bar import FOLDER, Record, read_judged, records
from deepperf.records import Level
from deepperf.rules.registry import load_rules

ROOT = Path(__file__).parents[2]


def _record(still: tuple[int, int, int], judged: tuple[int, int, int] = (0, 0, 0)) -> Record:
    names = ("true", "arguable", "false")
    counts = (Counter(dict(zip(names, one, strict=True))) for one in (judged, still))
    return Record("some-rule", *counts)


def test_no_rule_warns_whose_warnings_readers_did_not_find_worth_it() -> None:
    levels = {loaded.rule.name: loaded.rule.level for loaded in load_rules()}
    found = records(read_judged(ROOT / FOLDER))
    missing = [
        f"{one.rule}: {dict(one.still)} of {dict(one.judged)}"
        for one in found
        if not one.is_worth_warning and levels.get(one.rule, Level.NOTE) is not Level.NOTE
    ]
    assert missing == [], "make it a note, or tell apart what is worth it: decision 0026"


def test_six_in_ten_are_worth_it_and_one_in_ten_may_be_wrong() -> None:
    assert _record((6, 3, 1)).is_worth_warning
    assert not _record((5, 5, 0)).is_worth_warning
    assert not _record((8, 0, 2)).is_worth_warning


def test_of_few_verdicts_one_that_is_worth_it_is_enough() -> None:
    assert _record((1, 3, 1)).is_worth_warning
    assert not _record((0, 1, 0)).is_worth_warning
    assert _record((0, 0, 0), judged=(1, 0, 4)).is_worth_warning
    assert not _record((0, 0, 0), judged=(0, 2, 0)).is_worth_warning


def test_the_newest_standing_of_a_finding_counts(tmp_path: Path) -> None:
    head = "rule,repository,file,line,level,verdict,reason"
    rows = [f"slow-op,some/where,a.py,{line},warning,arguable,little" for line in (1, 2, 3)]
    (tmp_path / "judged-1.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    columns = ["rule", "repository", "file", "line", "judged", "verdict", "now"]
    for day, levels in (("01", {"1": "warning", "2": "note"}), ("02", {"1": "silent"})):
        told = [
            ["slow-op", "some__where", "a.py", line, "warning", "arguable", level]
            for line, level in levels.items()
        ]
        result = {"date": f"2026-01-{day}", "columns": columns, "rows": told}
        (tmp_path / f"standing-2026-01-{day}.json").write_text(json.dumps(result))
    found = read_judged(tmp_path)
    assert [one.now for one in found] == ["silent", "note", ""]
    (one,) = records(found)
    assert (one.judged, one.still) == (Counter(arguable=3), Counter())
