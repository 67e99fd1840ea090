"""Public training scripts under `deepperf run`: what is kept of a run, and how it is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from deepperf.scan.corpus import CorpusError, Framework
from deepperf.scan.judgements import Verdict, load_judgements
from deepperf.scan.scripts import OWN, Script, load_scripts
from deepperf.scan.watched import hit_key, hits, read_results, table, watch

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "runs"
SCRIPTS = load_scripts(RUNS / "scripts.toml")
RESULTS = read_results(RUNS / "results")
JUDGED = load_judgements((ROOT / "evaluation" / "watched").glob("*.toml"))


def script_of(home: Path, text: str, **changes: object) -> Script:
    (home / OWN).mkdir(exist_ok=True)
    (home / OWN / "train.py").write_text(text, encoding="utf-8")
    words = ("train.py",)
    return Script("small", Framework.TORCH, "nothing", words, **changes)  # type: ignore[arg-type]


def test_a_run_is_kept_without_words_about_this_machine(tmp_path: Path) -> None:
    kept = watch(script_of(tmp_path, "print(sum(range(10**6)))\n"), tmp_path, tmp_path)
    assert (kept["script"], kept["findings"], kept["problems"]) == ("small", [], [])
    assert str(tmp_path) not in str(kept)


def test_a_script_that_never_ends_is_interrupted_and_reported_on(tmp_path: Path) -> None:
    endless = script_of(tmp_path, "import time\ntime.sleep(600)\n", seconds=15.0)
    assert watch(endless, tmp_path, tmp_path)["seconds"] > 0.5


def test_a_script_that_fails_is_named_with_its_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"small: ended with 1: .*no data"):
        watch(script_of(tmp_path, "raise ValueError('no data')\n"), tmp_path, tmp_path)


def test_made_up_data_lie_beside_the_script(tmp_path: Path) -> None:
    text = "import os, sys\nsys.exit(not os.path.exists('MNIST/raw/train-images-idx3-ubyte'))\n"
    assert watch(script_of(tmp_path, text, data="mnist"), tmp_path, tmp_path)["findings"] == []


def test_an_entry_that_is_not_right_is_named(tmp_path: Path) -> None:
    path = tmp_path / "scripts.toml"
    path.write_text('[[script]]\nname = "x"\nframework = "torch"\nwhat = "y"\n', encoding="utf-8")
    with pytest.raises(CorpusError, match=r"script 1: KeyError: 'words'"):
        load_scripts(path)


def test_at_least_ten_public_scripts_were_watched() -> None:
    watched = {result["script"] for result in RESULTS}
    assert sum(script.package is not None and script.name in watched for script in SCRIPTS) >= 10
    assert {script.name for script in SCRIPTS if script.is_clean} <= watched


def test_clean_scripts_are_clean() -> None:
    clean = {script.name for script in SCRIPTS if script.is_clean}
    assert not [hit for hit in hits(RESULTS) if hit.package in clean]


def test_every_finding_is_judged_and_at_most_one_in_ten_is_false() -> None:
    verdicts = {judgement.key: judgement.verdict for judgement in JUDGED}
    found = [hit_key(hit) for hit in hits(RESULTS)]
    assert not [key for key in found if key not in verdicts]
    false = [key for key in found if verdicts[key] is Verdict.FALSE]
    assert len(false) <= len(found) / 10, false


def test_no_run_met_a_problem_of_the_recorder() -> None:
    assert not [problem for result in RESULTS for problem in result["problems"]]


def test_the_table_has_a_row_for_each_script_that_ran() -> None:
    rows = table(SCRIPTS, RESULTS, JUDGED).splitlines()
    assert len(rows) == 2 + len(RESULTS) + 1
