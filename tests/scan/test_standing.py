from dataclasses import replace
from pathlib import Path

import pytest
from tests.scan.builders import hit

from deepperf.scan.corpus import CorpusError
from deepperf.scan.judgements import Judgement, Verdict
from deepperf.scan.package import Hit
from deepperf.scan.standing import read_standings, standings, table, write_standings


def judged(line: int, verdict: Verdict) -> Judgement:
    one = hit(line=line)
    return Judgement(
        one.package, one.version, one.path, line, one.rule, one.text, verdict, "it decodes"
    )


HERE = {(hit().package, hit().version)}


def hits(*levels: tuple[int, str]) -> list[Hit]:
    return [hit(line=line, level=level) for line, level in levels]


READ = (
    judged(1, Verdict.TRUE),
    judged(2, Verdict.ARGUABLE),
    judged(3, Verdict.FALSE),
    judged(4, Verdict.FALSE),
)


def test_what_is_reported_no_more_and_what_is_a_note_now_counts_apart(tmp_path: Path) -> None:
    path = tmp_path / "standings.json"
    found = hits((1, "warning"), (2, "note"), (3, "warning"), (9, "warning"))
    write_standings(standings(READ, HERE, found, "2026-01-31"), path)
    assert table(READ, read_standings(path)).splitlines() == [
        "| rule | read | true | arguable | false | as notes | gone |",
        "|---|---|---|---|---|---|---|",
        f"| `{hit().rule}` | 4 | 1 |  | 1 | 1 | 1 |",
        "| **all** | 4 | 1 |  | 1 | 1 | 1 |",
        "",
        "4 by the rules of 2026-01-31.",
    ]


def test_packages_that_were_not_scanned_say_nothing() -> None:
    assert standings(READ, set(), [], "2026-01-31") == ()


def test_packages_that_were_not_scanned_again_stay_as_they_were() -> None:
    before = standings(READ, HERE, hits((1, "warning")), "2026-01-31")
    elsewhere = replace(READ[0], package="other")
    there = {("other", hit().version)}

    found = standings((*READ, elsewhere), there, [], "2026-02-01", before)

    assert [(one.package, one.level, one.date) for one in found if one.line == 1] == [
        (READ[0].package, "warning", "2026-01-31"),
        ("other", "gone", "2026-02-01"),
    ]


def test_packages_that_are_scanned_again_are_told_anew() -> None:
    before = standings(READ, HERE, hits((1, "warning")), "2026-01-31")

    found = standings(READ, HERE, hits((1, "note")), "2026-02-01", before)

    assert [(one.level, one.date) for one in found if one.line == 1] == [("note", "2026-02-01")]


def test_a_file_that_holds_no_standings_is_named(tmp_path: Path) -> None:
    path = tmp_path / "standings.json"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(CorpusError, match="no file of standings"):
        read_standings(path)
