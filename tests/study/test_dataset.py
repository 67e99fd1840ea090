"""The study's data agree with the paper and with the rest of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from deepperf.bench.problems import read_problem
from deepperf.rules.registry import load_rules
from deepperf.study.coverage import coverage_tables, require_known_rules
from deepperf.study.dataset import COLUMNS, StudiedProblem, StudyError, read_study
from deepperf.study.tables import Table, study_tables

REPOSITORY = Path(__file__).parents[2]
HEAD = ",".join(COLUMNS)


@pytest.fixture(scope="module")
def problems() -> tuple[StudiedProblem, ...]:
    return read_study()


@pytest.fixture(scope="module")
def tables(problems: tuple[StudiedProblem, ...]) -> dict[str, Table]:
    return {table.name: table for table in study_tables(problems)}


def test_there_are_224_problems_from_210_posts(problems: tuple[StudiedProblem, ...]) -> None:
    assert len(problems) == 224
    assert len({problem.post for problem in problems}) == 210


@pytest.mark.parametrize(
    ("table", "counts"),
    [
        ("causes", [52, 45, 27, 18, 15, 12, 12, 9, 7, 6, 6, 5, 4, 3, 3]),
        ("symptoms", [91, 45, 36, 15, 13, 6, 5, 5, 4, 3, 1]),
        ("introduced", [88, 37, 24, 23, 22, 11, 9, 6, 4]),
        ("exposed", [96, 40, 37, 19, 16, 6, 4, 4, 2]),
    ],
)
def test_the_totals_are_those_of_the_paper(
    tables: dict[str, Table], table: str, counts: list[int]
) -> None:
    assert [row[1] for row in tables[table].rows[:-1]] == counts
    assert tables[table].rows[-1][1] == 224


def test_the_rows_and_columns_of_a_cross_add_up(tables: dict[str, Table]) -> None:
    *rows, sums = tables["causes-and-symptoms"].rows
    for column in range(1, len(sums)):
        assert sum(int(row[column]) for row in rows) == sums[column]
    for row in (*rows, sums):
        assert sum(map(int, row[1:-1])) == row[-1]
    assert sums[-1] == 224


def test_each_problem_of_the_benchmark_has_its_program(
    problems: tuple[StudiedProblem, ...],
) -> None:
    named = {problem.benchmark for problem in problems if problem.benchmark}
    present = {path.parent.name for path in (REPOSITORY / "problems").glob("*/problem.toml")}
    assert len(named) == 58
    assert present == named


def test_every_rule_named_exists(problems: tuple[StudiedProblem, ...]) -> None:
    require_known_rules(problems, {loaded.rule.name for loaded in load_rules()})


def test_coverage_counts_what_has_a_rule(problems: tuple[StudiedProblem, ...]) -> None:
    by_cause, by_rule = coverage_tables(problems, {"graph-growth"})
    with_rule = sum(bool(p.rules) for p in problems)
    growing = sum("graph-growth" in p.rules for p in problems)
    assert by_cause.rows[-1][1:] == (224, with_rule, growing, 58)
    assert sum(int(row[1]) for row in by_rule.rows) == sum(len(p.rules) for p in problems)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("1,2020-01-01,,training,training,slow,graph-confusion,,", "'slow' is not in the codebook"),
        ("1,yesterday,,training,training,unknown,graph-confusion,,", "'yesterday' is no date"),
        ("1,2020-01-01,,training,training,,graph-confusion,,", "no symptom"),
        ("1,2020-01-01,", "9 fields are needed"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, row: str, complaint: str) -> None:
    path = tmp_path / "problems.csv"
    path.write_text(f"{HEAD}\n{row}\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"problems\.csv:2") as caught:
        read_study(path)
    assert complaint in str(caught.value)


def test_a_problem_may_not_stand_there_twice(tmp_path: Path) -> None:
    row = "1,2020-01-01,,training,training,unknown,graph-confusion,,"
    path = tmp_path / "problems.csv"
    path.write_text(f"{HEAD}\n{row}\n{row}\n", encoding="utf-8")
    with pytest.raises(StudyError, match="1 stands there twice"):
        read_study(path)


def test_the_benchmark_says_the_same_of_its_problems(
    problems: tuple[StudiedProblem, ...],
) -> None:
    for problem in problems:
        if not problem.benchmark:
            continue
        told = read_problem(REPOSITORY / "problems" / problem.benchmark)
        assert problem.rules == told.rules
        assert problem.cause == told.cause
        assert problem.symptoms == told.symptoms
        assert (problem.introduced, problem.exposed) == (told.introduced, told.exposed)
