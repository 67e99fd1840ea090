from __future__ import annotations

from pathlib import Path

import pytest
from tests.scan.builders import each, engine_of, hit, result, results_of, scan_of, stored

from deepperf.config.options import WrongUse
from deepperf.scan.hits import hits_of, scanned_in
from deepperf.scan.package import Batch, Package, Scanned, State, Trouble
from deepperf.scan.run import one_of_each, run_scan
from deepperf.scan.store import asked, journal, keep, known_trees, runs, seal

TROUBLE = Trouble("flowers", "1.0", "bad.py", 3, "not Python", internal=False)


def ask(store: Path, sql: str) -> list[tuple[object, ...]]:
    with asked(store) as database:
        return database.execute(sql).fetchall()


def test_what_is_kept_can_be_asked_for(tmp_path: Path) -> None:
    one = result([hit(text="print('\x00\U0001f600\u2028')"), hit(line=9)], troubles=[TROUBLE])
    failed = Scanned("trees", "2.0", State.KILLED, "killed by signal 9")

    stored(tmp_path, "first", failed, one)

    assert hits_of(tmp_path, "first") == tuple(sorted(one.hits))
    assert scanned_in(tmp_path, "first") == {("flowers", "1.0")}
    assert ask(tmp_path, "SELECT package, path, message FROM troubles") == [
        ("flowers", "bad.py", "not Python")
    ]
    assert ask(tmp_path, "SELECT name, state, message FROM tasks ORDER BY name") == [
        ("flowers", "done", ""),
        ("trees", "killed", "killed by signal 9"),
    ]


def test_a_run_may_be_called_by_its_day(tmp_path: Path) -> None:
    stored(tmp_path, "2026-01-31", result([hit()]))
    assert len(hits_of(tmp_path, "2026-01-31")) == 1
    assert ask(tmp_path, "SELECT run FROM tasks") == [("2026-01-31",)]


def test_two_runs_that_found_the_same_are_the_same_files_whatever_the_order(tmp_path: Path) -> None:
    several = results_of(*(hit(package=f"package-{n}", line=n) for n in range(30)))
    stored(tmp_path / "a", "run", *several)
    stored(tmp_path / "b", "run", *several[::-1])

    for table in ("packages", "findings", "troubles"):
        first, second = (
            [path.read_bytes() for path in sorted((tmp_path / store / table).rglob("*.parquet"))]
            for store in ("a", "b")
        )
        assert first == second != []


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    packages = tuple(Package(f"package-{n}", "1", "", size=n) for n in range(9))
    asked_for: list[str] = []

    def until_the_fifth(batch: Batch) -> tuple[Scanned, ...]:
        asked_for.extend(one.name for one in batch.packages)
        if len(asked_for) > 5:
            raise KeyboardInterrupt
        return each(batch)

    run = scan_of("night")
    with pytest.raises(KeyboardInterrupt):
        run_scan(packages, tmp_path, run, engine_of(until_the_fifth))
    assert runs(tmp_path) == ()
    rows = tmp_path / "under-way" / "night" / "rows.jsonl"
    kept = len(rows.read_text().splitlines())
    rows.write_text(rows.read_text() + '{"package": "torn')
    asked_for.clear()

    def the_rest(batch: Batch) -> tuple[Scanned, ...]:
        asked_for.extend(one.name for one in batch.packages)
        return each(batch)

    run_scan(packages, tmp_path, run, engine_of(the_rest))

    assert 0 < kept == 9 - len(asked_for)
    assert ask(tmp_path, "SELECT count(*), count(DISTINCT name) FROM packages") == [(9, 9)]
    assert not (tmp_path / "under-way" / "night").exists()


def test_findings_whose_row_was_not_written_do_not_count_twice(tmp_path: Path) -> None:
    (one,) = results_of(hit())
    run = scan_of("night")
    with journal(tmp_path, run) as rows:
        keep(rows, one)
    (tmp_path / "under-way/night/rows.jsonl").write_text("")
    with journal(tmp_path, run) as rows:
        assert rows.done == frozenset()
        keep(rows, one)
    seal(tmp_path, run)

    assert hits_of(tmp_path, "night") == one.hits


def test_a_run_is_not_gone_on_with_under_other_rules(tmp_path: Path) -> None:
    with journal(tmp_path, scan_of("night", "early")):
        pass
    with (
        pytest.raises(WrongUse, match="'night' was begun with other rules"),
        journal(tmp_path, scan_of("night", "late")),
    ):
        pass


def test_a_run_under_way_is_not_written_by_two_processes(tmp_path: Path) -> None:
    with (
        journal(tmp_path, scan_of("night")),
        pytest.raises(WrongUse, match="under way in another process"),
        journal(tmp_path, scan_of("night")),
    ):
        pass


def test_a_run_that_is_done_is_not_overwritten(tmp_path: Path) -> None:
    stored(tmp_path, "night", result())
    with pytest.raises(WrongUse, match="has a run 'night' already"):
        stored(tmp_path, "night", result())


@pytest.mark.parametrize("name", ["../night", "a/b", "", "run=*", ".x"])
def test_a_run_cannot_be_called_like_a_way_out(tmp_path: Path, name: str) -> None:
    with pytest.raises(WrongUse, match="a run cannot be called"):
        stored(tmp_path, name, result())


def test_a_second_scan_looks_only_at_what_changed_and_tells_all(tmp_path: Path) -> None:
    (old, kept) = results_of(hit(package="new"), hit(package="old"))
    stored(tmp_path, "first", old, kept)
    assert known_trees(tmp_path, "rules")["old"] == (kept.tree.digest,)
    assert known_trees(tmp_path, "other rules") == {}
    again = Scanned("old", "1.0", State.SAME, tree=kept.tree)
    changed = result([hit(package="new", text="other")], "new", "1.0", tree="changed")

    stored(tmp_path, "second", again, changed)

    told = {(one.package, one.text) for one in hits_of(tmp_path, "second")}
    assert told == {("old", hit().text), ("new", "other")}
    with asked(tmp_path) as database:
        rows = database.execute("SELECT run, count(*) FROM stored_findings GROUP BY 1").fetchall()
    assert dict(rows) == {"first": 2, "second": 1}


def test_copies_of_a_tree_are_kept_once_and_told_of_each(tmp_path: Path) -> None:
    copies = [result([hit(package=name)], name, tree="same") for name in ("fork", "original")]
    stored(tmp_path, "night", *copies)

    assert {one.package for one in hits_of(tmp_path, "night")} == {"fork", "original"}
    assert ask(tmp_path, "SELECT count(*) FROM stored_findings") == [(1,)]


def test_of_packages_with_one_name_and_version_the_first_is_scanned() -> None:
    first, second = Package("a", "1", "here"), Package("a", "1", "there")
    assert one_of_each([Package("b", "1", ""), first, second])[0] is first


def test_a_store_without_runs_and_a_run_that_is_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="has no run that is done"), asked(tmp_path):
        pass
    stored(tmp_path, "night", result())
    with pytest.raises(WrongUse, match="has no run 'day'; it has night"):
        hits_of(tmp_path, "day")
