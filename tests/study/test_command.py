"""`deepperf study`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deepperf.cli.main import main
from deepperf.study.labels import Label, append_label

DATA = str(Path(__file__).parents[2] / "study" / "problems.csv")


def test_tables_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "tables", "--data", DATA]) == 0
    shown = capsys.readouterr().out
    assert "Root causes" in shown
    assert "23.2" in shown


def test_tables_are_written_as_csv(tmp_path: Path) -> None:
    words = ["study", "tables", "--data", DATA, "--format", "csv", "--output", str(tmp_path)]
    assert main(words) == 0
    lines = (tmp_path / "causes.csv").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["label,problems,%", "Not using an efficient API,52,23.2"]


def test_markdown_has_a_heading_and_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "coverage", "--data", DATA, "--format", "markdown"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("### Problems for whose kind there is a rule or a run-time signal\n")


def test_figures_are_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert main(["study", "figures", "--data", DATA, "--output", str(tmp_path)]) == 0
    svg = (tmp_path / "causes.svg").read_text(encoding="utf-8")
    assert "Confusion with the computation graph" in svg
    assert (tmp_path / "causes.png").read_bytes().startswith(b"\x89PNG")
    assert main(["study", "figures", "--data", DATA, "--output", str(tmp_path)]) == 0
    assert (tmp_path / "causes.svg").read_text(encoding="utf-8") == svg


def test_mining_ends_with_what_was_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    issue = {"number": 1, "title": "Keras gets slower", "body": "and slower"}
    source = tmp_path / "issues.jsonl"
    source.write_text(json.dumps(issue) + "\n", encoding="utf-8")
    assert main(["study", "mine", str(source), "--output", str(tmp_path / "out.jsonl")]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("1 posts read: 1 found, 0 unwanted, 0 duplicate, 0 malformed; ")

    assert main(["study", "suggest", str(tmp_path / "out.jsonl"), "--data", DATA]) == 0
    assert "likely cause: " in capsys.readouterr().out


def test_the_agreement_of_two_raters_is_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "labels.jsonl"
    for number in range(4):
        append_label(path, Label(str(number), "ada", number < 2))
        append_label(path, Label(str(number), "bob", number < 3))
    assert main(["study", "agreement", "ada", "bob", "--labels", str(path)]) == 0
    assert "0.500" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["tables", "--data", "nowhere.csv"], "nowhere.csv: cannot be read"),
        (["mine", "nowhere.xml"], "nowhere.xml: no such file or folder"),
        (["label", "nowhere.jsonl", "--rater", "ada"], "nowhere.jsonl: cannot be read"),
        (["agreement", "a", "b", "--labels", "none"], "a and b have labelled nothing in common"),
        (["tables", "--data", DATA, "--output", "x"], "--output goes with --format"),
    ],
)
def test_what_cannot_be_done_is_named(
    words: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["study", *words]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
