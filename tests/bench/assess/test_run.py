"""Asking approaches that need no framework, and what is stored of their answers."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from tests.bench.small_problem import changed, written

from deepperf.bench.assess import own_run
from deepperf.bench.assess.approach import chosen
from deepperf.bench.assess.run import assess
from deepperf.bench.assess.stored import StoredError, answers, read_entries, read_paper
from deepperf.bench.assess.table import by_cause, counts
from deepperf.bench.problems import read_problem
from deepperf.bench.recall import read_recall
from deepperf.cli.main import main

PAPER = "# whose codes\nproblem,tf_profiler,xla,tf_documentation\n1234,-1,0,1\n"


def test_raw_outputs_tables_and_recall_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, output = written(tmp_path), tmp_path / "results"
    (tmp_path / "paper.csv").write_text(PAPER)
    assert assess([folder], chosen(["deepperf", "original"]), output, None)
    stored = json.loads((output / "deepperf.json").read_text())["problems"]["so-1234"]
    assert stored["verdict"] == "silent"
    assert stored["raw"] == {"buggy.py": [], "fixed.py": [], "sibling.py": [], "workload.py": []}
    assert read_recall(tmp_path / "recall.toml") == frozenset()
    assert "original: not asked: say with --original where it lies" in capsys.readouterr().out
    (entry,) = json.loads((output / "assess.json").read_text())["problems"].values()
    assert entry["paper"] == {"tf_profiler": -1, "xla": 0, "tf_documentation": 1}
    assert entry["ours"]["deepperf"]["verdict"] == "silent"


def test_tables_set_the_paper_s_codes_beside_ours(tmp_path: Path) -> None:
    folder, output = written(tmp_path), tmp_path / "results"
    (tmp_path / "paper.csv").write_text(PAPER)
    assess([folder], chosen(["deepperf"]), output, None)
    given = answers(output, chosen(["deepperf"]), [read_problem(folder)])
    assert counts(given).splitlines()[-1].startswith("| deepperf check | ")
    table = by_cause(given, read_paper(tmp_path / "paper.csv"))
    assert "| Not using a batch API | 1 |  | 0 of 1 | 1 of 1 | 0 of 1 |" in table


def test_what_was_said_of_a_program_that_has_changed_is_left_out(tmp_path: Path) -> None:
    folder, output = written(tmp_path), tmp_path / "results"
    assess([folder], chosen(["deepperf"]), output, None)
    changed(folder / "buggy.py", "arange(10.0)", "arange(12.0)")
    assert answers(output, chosen(["deepperf"]), [read_problem(folder)]) == ()


def test_asking_about_one_problem_leaves_the_others_in_the_tables(tmp_path: Path) -> None:
    one, other, output = written(tmp_path), written(tmp_path, "so-5"), tmp_path / "results"
    changed(other / "problem.toml", "post = 1234", "post = 5")
    assess([one, other], chosen(["deepperf"]), output, None)
    before = (output / "deepperf.json").read_text(), (output / "assess.json").read_text()
    assess([one], chosen(["deepperf"]), output, None)
    assert ((output / "deepperf.json").read_text(), (output / "assess.json").read_text()) == before


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    broken = tmp_path / "ruff.json"
    broken.write_text("{}")
    with pytest.raises(StoredError, match=r"ruff\.json: not of format 1"):
        read_entries(broken)
    paper = tmp_path / "paper.csv"
    paper.write_text("problem,xla\n1234,0\n")
    with pytest.raises(StoredError, match=r"paper\.csv: not the paper's codes"):
        read_paper(paper)
    assert read_paper(tmp_path / "absent.csv") == {}


def test_an_unknown_approach_is_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path)
    command = ["bench", "assess", "--problems", str(tmp_path), "--approaches", "flake"]
    assert main(command) == 2
    assert capsys.readouterr().err.startswith("deepperf: flake: no such approach (there are ")


def test_a_program_that_never_ends_is_ended_with_who_watches_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_run, "LONGEST_SECONDS", 8.0)
    folder, beats = written(tmp_path), tmp_path / "beats"
    endless = f"while True:\n    open({str(beats)!r}, 'a').write('.')\n    time.sleep(0.05)\n"
    changed(folder / "buggy.py", "import numpy as np\n", f"import time\n{endless}")
    assert assess([folder], chosen(["run"]), tmp_path / "results", None)
    before = beats.stat().st_size
    time.sleep(1.0)
    assert before > 0
    assert beats.stat().st_size == before
