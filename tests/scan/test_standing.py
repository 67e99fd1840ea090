from dataclasses import replace
from pathlib import Path

import pytest
from tests.scan.builders import hit

from deepperf.scan.corpus import CorpusError
from deepperf.scan.judgements import Judgement, Verdict
from deepperf.scan.standing import read_standings, standings, table, write_standings
from deepperf.scan.task import Scanned


def judged(line: int, verdict: Verdict) -> Judgement:
    one = hit(line=line)
    return Judgement(
        one.package, one.version, one.path, line, one.rule, one.text, verdict, "it decodes"
    )


def scanned(*levels: tuple[int, str]) -> Scanned:
    one = hit()
    hits = tuple(hit(line=line, level=level) for line, level in levels)
    return Scanned(one.package, one.version, 1, 10, 0.1, hits, ())


READ = (
    judged(1, Verdict.TRUE),
    judged(2, Verdict.ARGUABLE),
    judged(3, Verdict.FALSE),
    judged(4, Verdict.FALSE),
)


def test_what_is_reported_no_more_and_what_is_a_note_now_counts_apart(tmp_path: Path) -> None:
    path = tmp_path / "standings.json"
    run = scanned((1, "warning"), (2, "note"), (3, "warning"), (9, "warning"))
    write_standings(standings(READ, [run], "2026-01-31"), path)
    assert table(READ, read_standings(path)).splitlines() == [
        "| rule | read | true | arguable | false | as notes | gone |",
        "|---|---|---|---|---|---|---|",
        f"| `{hit().rule}` | 4 | 1 |  | 1 | 1 | 1 |",
        "| **all** | 4 | 1 |  | 1 | 1 | 1 |",
        "",
        "4 by the rules of 2026-01-31.",
    ]


def test_packages_that_were_not_scanned_say_nothing() -> None:
    assert standings(READ, [], "2026-01-31") == ()


def test_packages_that_were_not_scanned_again_stay_as_they_were() -> None:
    before = standings(READ, [scanned((1, "warning"))], "2026-01-31")
    elsewhere = replace(READ[0], package="other")
    other = replace(scanned(), package="other")

    found = standings((*READ, elsewhere), [other], "2026-02-01", before)

    assert [(one.package, one.level, one.date) for one in found if one.line == 1] == [
        (READ[0].package, "warning", "2026-01-31"),
        ("other", "gone", "2026-02-01"),
    ]


def test_packages_that_are_scanned_again_are_told_anew() -> None:
    before = standings(READ, [scanned((1, "warning"))], "2026-01-31")

    found = standings(READ, [scanned((1, "note"))], "2026-02-01", before)

    assert [(one.level, one.date) for one in found if one.line == 1] == [("note", "2026-02-01")]


def test_a_file_that_holds_no_standings_is_named(tmp_path: Path) -> None:
    path = tmp_path / "standings.json"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(CorpusError, match="no file of standings"):
        read_standings(path)
