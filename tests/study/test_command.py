"""`deepperf study`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deepperf.cli.main import main
from deepperf.study.labels import Label, append_label, read_labels


def test_tables_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "tables"]) == 0
    shown = capsys.readouterr().out
    assert "Root causes" in shown
    assert "23.2" in shown


@pytest.mark.parametrize("verb", ["tables", "coverage"])
def test_the_papers_problems_are_there_wherever_deepperf_runs(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["study", verb]) == 0


def test_tables_are_written_as_csv(tmp_path: Path) -> None:
    words = ["study", "tables", "--format", "csv", "--output", str(tmp_path)]
    assert main(words) == 0
    lines = (tmp_path / "causes.csv").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["label,problems,%", "Not using an efficient API,52,23.2"]


def test_markdown_has_a_heading_and_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "coverage", "--format", "markdown"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("### Problems for whose kind there is a rule or a run-time signal\n")


def test_figures_are_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert main(["study", "figures", "--output", str(tmp_path)]) == 0
    svg = (tmp_path / "causes.svg").read_text(encoding="utf-8")
    assert "Confusion with the computation graph" in svg
    assert (tmp_path / "causes.png").read_bytes().startswith(b"\x89PNG")
    assert main(["study", "figures", "--output", str(tmp_path)]) == 0
    assert (tmp_path / "causes.svg").read_text(encoding="utf-8") == svg


def test_mining_ends_with_what_was_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    issue = {"number": 1, "title": "Keras gets slower", "body": "and slower"}
    source = tmp_path / "issues.jsonl"
    source.write_text(json.dumps(issue) + "\n", encoding="utf-8")
    assert main(["study", "mine", str(source), "--output", str(tmp_path / "out.jsonl")]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("1 posts read: 1 found, 0 unwanted, 0 duplicate, 0 malformed; ")

    assert main(["study", "suggest", str(tmp_path / "out.jsonl")]) == 0
    assert "likely cause: " in capsys.readouterr().out


def test_labelling_shows_no_markup_of_its_own_and_the_posts_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    issue = {"number": 1, "title": "Keras gets slower [b]x[i][/]", "body": "and slower [/b]"}
    source = tmp_path / "issues.jsonl"
    source.write_text(json.dumps(issue) + "\n", encoding="utf-8")
    found = str(tmp_path / "found.jsonl")
    main(["study", "mine", str(source), "--output", found])
    capsys.readouterr()
    answers = iter(["y", "?1", "1", "1", "1", "1", ""])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))

    assert main(["study", "label", found, "--rater", "ada", "--labels", str(tmp_path / "l")]) == 0
    shown = capsys.readouterr().out
    assert "A performance problem?  (y)es  (n)o  (s)kip  (q)uit" in shown
    assert "Keras gets slower [b]x[i][/]" in shown
    assert "and slower [/b]" in shown
    assert "[" not in shown.replace("[b]x[i][/]", "").replace("[/b]", "")


@pytest.mark.parametrize(
    "wrong", ["[]", "null", '{"candidate": 1}', '{"is_problem": "x"}', "[" * 5000]
)
def test_a_line_of_another_type_is_no_label_and_no_candidate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: str
) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(f"{wrong}\n", encoding="utf-8")

    assert read_labels(path) == ((), 1)
    assert main(["study", "label", str(path), "--rater", "ada", "--labels", str(path)]) == 0
    assert ":1: holds no candidate" in capsys.readouterr().err


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
        (["tables", "--output", "x"], "--output goes with --format"),
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
