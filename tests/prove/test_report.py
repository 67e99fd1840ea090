"""A proof is told as text, JSON and a page, with a patch that git takes."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from deepperf.dynamic.report import Screen
from deepperf.prove.applying import apply_proof
from deepperf.prove.candidates import Candidate, change_of, texts_of
from deepperf.prove.combining import Combination
from deepperf.prove.compared import Pairs
from deepperf.prove.measuring import INTERRUPTED, OUT_OF_TIME, Judged
from deepperf.prove.offer import Machine, Quantity
from deepperf.prove.printed import common
from deepperf.prove.proving import Proof, Request
from deepperf.prove.report import patch_of, shown
from deepperf.prove.report.text import told
from deepperf.prove.runs import Cost
from deepperf.prove.sameness import Expected
from deepperf.prove.trial import Answer, Gain
from deepperf.records import Edit

TEXT = "import torch\r\n\r\nslow = True  # é\r\nprint(slow)\r\n"
AT = TEXT.index("True")


def proof_in(root: Path) -> Proof:
    """A proof with one of each answer, of a file whose lines end as on Windows."""
    (root / "train.py").write_bytes(TEXT.encode())
    sources = texts_of(root, ["train.py"])
    fast = Candidate("debug-left-on", "take it out", "train.py", (3,), (Edit(AT, AT + 4, "0"),))
    compiled = Candidate("compiled-model", "compile it", "train.py", (3,), (), Quantity.STEP)
    plain = Candidate("inference-mode", "evaluate so", "train.py", (1, 4), ())
    before = (Cost(2.0, 2.0, 10**8, 100, 0.01, 0.01),) * 4
    after = (Cost(1.0, 1.0, 2 * 10**8, 100, 0.005, 0.005),) * 4
    won = Judged(Answer.FASTER, "", Gain(0.5, 0.4, 0.6, 4), Quantity.CPU, Pairs(before, after))
    later = (Cost(4.0, 4.0, 10**8, 100, 0.005, 0.005),) * 4
    steps = Judged(Answer.FASTER, "", Gain(0.5, 0.4, 0.6, 4), Quantity.STEP, Pairs(before, later))
    late = Judged(Answer.NOT_TRIED, OUT_OF_TIME)
    other = Judged(Answer.CHANGES_RESULTS, "it prints 2 where 1 was")
    return Proof(
        request=Request(("train.py", "--epochs", "1"), root),
        root=root,
        tried=((fast, won), (compiled, steps), (plain, other), (fast, late), (plain, late)),
        combination=Combination((fast,), won, ((compiled, "gains nothing beside the others"),)),
        expected=Expected(0, common(["1"], 0.001), {}),
        sources=sources,
        change=change_of([fast], sources),
        runs=20,
        seconds=61.0,
        machine=Machine(2),
        versions={"python": "3.11.7", "torch": "2.13.0"},
        date="2026-11-26",
        remarks=("one number was not compared",),
    )


def test_the_text_says_what_helps_and_by_how_much(tmp_path: Path) -> None:
    text = shown(proof_in(tmp_path), "text", Screen())
    assert "train.py:3 debug-left-on: take it out (opportunity)" in text
    assert "saves 50.0% (40% to 60%) in 4 pairs; peak of memory 100 MB → 200 MB" in text
    assert "pays off after 500 steps" in text
    assert "train.py:1 and 1 more inference-mode" in text
    assert "it prints 2 where 1 was" in text
    late = "debug-left-on (train.py:3), inference-mode (train.py:1)"
    assert f"the time was up: give it more with --budget: {late}" in " ".join(text.split())
    assert "left out: train.py:3 compiled-model: gains nothing beside the others" in text
    assert "Note: one number was not compared." in text


def test_steps_by_the_clock_of_a_device_are_told_with_whole_runs(tmp_path: Path) -> None:
    proof = proof_in(tmp_path)
    (fast, _), *rest = proof.tried
    costs = (Cost(4.0, 4.0, 10**8, 100, 0.03, 0.03, 0.0, paced) for paced in (0.03, 0.02))
    before, after = ((cost,) * 4 for cost in costs)
    gain = Gain(0.333, 0.32, 0.35, 4)
    judged = Judged(Answer.FASTER, "", gain, Quantity.PACE, Pairs(before, after))
    told = replace(proof, tried=((fast, judged), *rest))
    text = shown(told, "text", Screen())
    said = "saves 33.3% (32% to 35%) in 4 pairs per step; whole runs 4.0 s → 4.0 s"
    assert said in " ".join(text.split())
    assert "Note: times per step are those of the accelerator's clock" in text
    pytest.importorskip("jinja2")
    assert "whole runs 4.0 s → 4.0 s" in shown(told, "html", Screen())


def test_the_json_holds_every_measured_value(tmp_path: Path) -> None:
    told = json.loads(shown(proof_in(tmp_path), "json", Screen()))
    first = told["candidates"][0]
    assert (first["answer"], first["gain"]["saved"]) == ("faster", 0.5)
    assert [one["cpu"] for one in first["after"]] == [1.0] * 4
    assert told["together"]["kept"][0]["name"] == "debug-left-on"
    assert told["patch"].startswith("--- a/train.py")


def test_the_page_holds_the_same(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    page = shown(proof_in(tmp_path), "html", Screen())
    assert "python train.py --epochs 1" in page
    assert "saves 50.0% (40% to 60%)" in page
    assert "+slow = 0" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_a_proof_that_was_interrupted_says_so_in_every_format(tmp_path: Path) -> None:
    whole = proof_in(tmp_path)
    (fast, won), *rest = whole.tried
    tried = (fast, won), *((one, Judged(Answer.NOT_TRIED, INTERRUPTED)) for one, _ in rest)
    proof = replace(whole, tried=tried, interrupted=True)
    text = shown(proof, "text", Screen())
    assert "interrupted: this is what was decided until then" in text
    assert "saves 50.0%" in text
    assert "interrupted before it was begun: compiled-model (train.py:3)" in text
    told = json.loads(shown(proof, "json", Screen()))
    assert told["interrupted"]
    assert "4 of 5 candidates were not decided" in told["remarks"][0]
    assert "4 of 5 candidates were not decided" in shown(proof, "html", Screen())


def test_git_applies_the_patch(tmp_path: Path) -> None:
    proof = proof_in(tmp_path)
    patch = patch_of(proof)
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch, check=True)
    assert (tmp_path / "train.py").read_bytes() == TEXT.replace("True", "0").encode()


def test_the_change_is_made_where_the_file_is_as_it_was(tmp_path: Path) -> None:
    proof = proof_in(tmp_path)
    assert apply_proof(proof) == []
    assert (tmp_path / "train.py").read_bytes() == TEXT.replace("True", "0").encode()


def test_a_file_that_was_edited_meanwhile_stays(tmp_path: Path) -> None:
    proof = proof_in(tmp_path)
    (tmp_path / "train.py").write_bytes(b"edited")
    assert apply_proof(proof) == ["train.py: is not changed: it changed while it was being checked"]
    assert (tmp_path / "train.py").read_bytes() == b"edited"


@pytest.mark.parametrize(
    ("gain", "said"),
    [
        (Gain(0.09, -4916.48, 1.0, 2), "saves 9.0% in 2 pairs"),
        (Gain(0.5, 0.4, 0.6, 4), "saves 50.0% (40% to 60%) in 4 pairs"),
        (Gain(-0.2, -0.3, -0.1, 4), "needs 20.0% more (10% to 30%) in 4 pairs"),
    ],
)
def test_an_interval_that_bounds_nothing_is_left_out(gain: Gain, said: str) -> None:
    assert told(gain) == said
