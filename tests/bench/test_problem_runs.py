"""Measuring problems that need no framework."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.bench.small_problem import changed, written

from deepperf.bench.launch import can_fork, forks, in_fresh_process
from deepperf.bench.measure import SideError, measure, side_by_side
from deepperf.bench.problem_runs import measure_problems, recorded_rows
from deepperf.bench.problem_table import counts_by_cause, in_order, markdown
from deepperf.bench.problems import pair_of, read_problem
from deepperf.rules.evidence import Machine, read_evidence

MACHINE = Machine("a processor", 2, 8 << 30, "", "a system")


def test_a_problem_is_measured_and_its_evidence_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path)
    assert measure_problems([folder], 2)
    evidence = read_evidence(folder / "evidence.json", "so-1234")
    assert evidence.measurements[0].bad == (10.0, 10.0)
    assert evidence.measurements[0].good == (1.0, 1.0)
    assert "so-1234: 10 squares taken instead of 1 for 10 numbers" in capsys.readouterr().out


def test_a_problem_without_its_symptom_is_a_failure_that_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path)
    changed(
        folder / "buggy.py", "sum(square(number) for number in numbers)", "sum(square(numbers))"
    )
    assert not measure_problems([folder], 1)
    assert capsys.readouterr().err == (
        "deepperf: so-1234: the symptom does not show: squares taken is 1x, "
        "which is 1.00x or more, not 1.3x\n"
    )


def test_different_results_are_a_failure_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, right = written(tmp_path, "so-1"), written(tmp_path, "so-1234")
    changed(wrong / "problem.toml", "post = 1234", "post = 1")
    changed(wrong / "fixed.py", "arange(10.0)", "arange(11.0)")
    assert not measure_problems([wrong, right], 1)
    assert capsys.readouterr().err == "deepperf: so-1: the two sides give different results\n"
    assert read_evidence(right / "evidence.json", "so-1234").measurements


def test_what_cannot_be_measured_is_listed_with_its_reason_and_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path)
    toml = folder / "problem.toml"
    before, _, _ = toml.read_text().partition("[measured]")
    toml.write_text(before + 'cannot = "it needs a GPU"\n')
    assert measure_problems([folder], 1)
    assert "so-1234: not measured: it needs a GPU" in capsys.readouterr().out


def test_a_broken_problem_is_named_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, sound = written(tmp_path, "so-1"), written(tmp_path, "so-1234")
    assert not measure_problems([broken, sound], 1)
    assert "so-1/problem.toml: post and part" in capsys.readouterr().err
    assert (sound / "evidence.json").exists()


def test_a_quick_look_does_not_replace_what_was_measured_more_often(tmp_path: Path) -> None:
    folder = written(tmp_path)
    measure_problems([folder], 2)
    measure_problems([folder], 1)
    assert read_evidence(folder / "evidence.json", "so-1234").measurements[0].bad == (10.0, 10.0)


def test_a_mark_that_moves_leaves_the_evidence_valid(tmp_path: Path) -> None:
    folder = written(tmp_path)
    measure_problems([folder], 1)
    before = (folder / "evidence.json").read_text()
    changed(folder / "buggy.py", "def main():", "def main():  # finding")
    measure_problems([folder], 1)
    assert (folder / "evidence.json").read_text() == before


def test_tables_and_a_figure_are_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    folder, output = written(tmp_path), tmp_path / "out"
    assert measure_problems([folder], 1, output)
    assert sorted(path.name for path in output.iterdir()) == [
        "problems.json",
        "problems.md",
        "problems.png",
        "problems.svg",
    ]
    (entry,) = json.loads((output / "problems.json").read_text())["problems"]
    assert entry["measurement"]["bad"] == [10.0]
    assert entry["measurement"]["machine"]["cores"] >= 1
    assert entry["symptom_shown"]


def test_tables_say_what_the_evidence_says(tmp_path: Path) -> None:
    measured, fresh = written(tmp_path, "so-1234"), written(tmp_path, "so-5")
    changed(fresh / "problem.toml", "post = 1234", "post = 5")
    measure_problems([measured], 1)
    rows = recorded_rows([fresh, measured])
    assert [row.problem.id for row in in_order(rows)] == ["so-1234", "so-5"]
    table = markdown(rows)
    assert "| squares taken | 10 numbers | 10x |" in table
    assert "| not measured: not measured yet |" in table
    assert "| Not using a batch API | 2 | 1 | 10x | 10x | 10x |" in counts_by_cause(rows)


@pytest.mark.skipif(not can_fork(), reason="forks are for Linux: a second way is not installed")
def test_forks_give_what_fresh_processes_give(tmp_path: Path) -> None:
    pair = pair_of(read_problem(written(tmp_path)))
    with forks() as start:
        forked = measure(pair, 2, MACHINE, lambda: None, side_by_side(start))
    fresh = measure(pair, 2, MACHINE, lambda: None, side_by_side(in_fresh_process))
    assert (forked.bad, forked.good) == (fresh.bad, fresh.good) == ((10.0, 10.0), (1.0, 1.0))
    assert forked.versions == fresh.versions


@pytest.mark.skipif(not can_fork(), reason="forks are for Linux: a second way is not installed")
def test_a_crash_in_a_fork_is_named_as_in_a_fresh_process(tmp_path: Path) -> None:
    folder = written(tmp_path)
    changed(folder / "buggy.py", "numbers = np.arange(10.0)", "numbers = absent")
    pair = pair_of(read_problem(folder))
    with forks() as start:
        for way in (start, in_fresh_process):
            with pytest.raises(SideError, match="so-1234: the bad side does not run: NameError"):
                measure(pair, 1, MACHINE, lambda: None, side_by_side(way))
