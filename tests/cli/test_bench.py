"""`deepperf bench` on the command line: what may be left out, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bench.small_problem import written

from deepperf.cli.bench import spelled_out
from deepperf.cli.main import main


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ([], ["rules"]),
        (["serial-map"], ["rules", "serial-map"]),
        (["--quick"], ["rules", "--quick"]),
        (["rules", "serial-map"], ["rules", "serial-map"]),
        (["problems", "so-1"], ["problems", "so-1"]),
        (["--help"], ["--help"]),
    ],
)
def test_names_of_rules_alone_are_enough(words: list[str], meant: list[str]) -> None:
    assert spelled_out(words) == meant


def test_a_problem_is_measured_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path)
    assert main(["bench", "problems", "so-1234", "--quick", "--problems", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "so-1234: 10 squares taken instead of 1 for 10 numbers" in said
    assert "worse by" in said


def test_an_unknown_problem_is_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path)
    assert main(["bench", "problems", "so-nonsense", "--problems", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "deepperf: so-nonsense: there is no such problem\n"


def test_missing_problems_are_wrong_use_and_a_line_says_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "problems"]) == 2
    assert capsys.readouterr().err == (
        "deepperf: problems: no such folder; the problems lie in deepperf's repository and are "
        "not installed with it: run this there, or say where they are with --problems\n"
    )


def test_a_problem_taken_for_a_rule_is_told_where_it_belongs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["bench", "so-1234"]) == 2
    assert "problems are measured by `bench problems`" in capsys.readouterr().err


def test_an_unknown_rule_is_answered_with_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["bench", "serial-mop"]) == 2
    assert "no rule is called 'serial-mop'; did you mean 'serial-map'" in capsys.readouterr().err
