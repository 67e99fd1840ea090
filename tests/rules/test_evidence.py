"""What evidence says: status, sentence, staleness, storage."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deepperf.records import Pair, SourceFile
from deepperf.rules.evidence import (
    Comparison,
    Evidence,
    EvidenceError,
    Machine,
    Measurement,
    Status,
    Unmeasured,
    describe,
    digest,
    merged,
    read_evidence,
    sentence,
    stale,
    status,
    write_evidence,
)

PAIR = Pair(
    id="slow-thing/tensorflow",
    framework="tensorflow",
    bad=(SourceFile("example.py", "slow()\n"),),
    good=(SourceFile("example.py", "fast()\n"),),
    workload="def work(): return 1\n",
)
GAIN = Measurement(
    pair=PAIR.id,
    digest=digest(PAIR),
    framework="tensorflow",
    quantity="CPU time",
    unit="s",
    size="30 calls",
    bad=(5.1, 5.3),
    good=(0.1, 0.1),
    comparison=Comparison(52.3, 48.7, 55.2, 0.95, "a method"),
    machine=Machine("Intel(R) Xeon(R) Processor @ 2.50GHz", 2, 8 << 30, "", "Linux"),
    threads=1,
    python="3.12.1",
    versions=(("tensorflow", "2.21.0"),),
    date="2026-11-21",
    results_equal=True,
    tolerance=1e-5,
)
NO_GAIN = replace(GAIN, comparison=Comparison(1.02, 0.97, 1.08, 0.95, "a method"))


def on_version(measurement: Measurement, version: str) -> Measurement:
    return replace(measurement, versions=(("tensorflow", version),))


def test_without_measurement_a_rule_is_in_preview() -> None:
    assert status(Evidence("slow-thing")) is Status.PREVIEW
    reason = Unmeasured(PAIR.id, "needs two GPUs")
    assert status(Evidence("slow-thing", unmeasured=(reason,))) is Status.PREVIEW


def test_a_sure_gain_makes_a_rule_measured() -> None:
    assert status(Evidence("slow-thing", (GAIN,))) is Status.MEASURED


def test_an_interval_that_holds_one_makes_a_rule_expired() -> None:
    assert status(Evidence("slow-thing", (NO_GAIN,))) is Status.EXPIRED


def test_the_newest_version_decides() -> None:
    old_gain = Evidence("slow-thing", (on_version(GAIN, "2.9.1"), on_version(NO_GAIN, "2.21.0")))
    new_gain = Evidence("slow-thing", (on_version(NO_GAIN, "2.9.1"), on_version(GAIN, "2.21.0")))
    assert status(old_gain) is Status.EXPIRED
    assert status(new_gain) is Status.MEASURED


def test_a_gain_in_one_framework_is_enough() -> None:
    torch = replace(GAIN, framework="torch", versions=(("torch", "2.13.0"),))
    assert status(Evidence("slow-thing", (NO_GAIN, torch))) is Status.MEASURED


def test_a_sentence_says_how_much_on_what() -> None:
    assert sentence(Evidence("slow-thing", (GAIN,))) == (
        "52x more CPU time for 30 calls "
        "(49 to 55, TensorFlow 2.21.0, Intel Xeon 2.50GHz, 2026-11-21)"
    )


def test_a_sentence_is_about_the_framework_asked_for_alone() -> None:
    torch = replace(GAIN, framework="torch", versions=(("torch", "2.13.0"),))
    evidence = Evidence("slow-thing", (GAIN, torch))
    assert "PyTorch 2.13.0" in sentence(evidence, "torch")
    assert sentence(evidence, "jax") == ""
    assert "TensorFlow 2.21.0" in sentence(evidence)


def test_there_is_no_sentence_without_a_gain() -> None:
    assert sentence(Evidence("slow-thing", (NO_GAIN,))) == ""
    assert sentence(Evidence("slow-thing")) == ""
    assert describe(NO_GAIN).startswith("no gain in CPU time, 1x for 30 calls (0.97 to 1.1")


def test_counts_are_told_as_counts() -> None:
    counted = replace(
        GAIN,
        quantity="graphs traced",
        unit="graphs traced",
        bad=(30.0, 30.0),
        good=(1.0, 1.0),
        comparison=Comparison(30.0, 30.0, 30.0, 1.0, "exact"),
    )
    assert describe(counted).startswith("30 graphs traced instead of 1 for 30 calls (")


def test_something_against_nothing_is_a_gain() -> None:
    counted = replace(
        GAIN,
        quantity="nodes added",
        unit="nodes added",
        bad=(12.0, 12.0),
        good=(0.0, 0.0),
        comparison=Comparison(None, None, None, 1.0, "exact"),
    )
    assert counted.shows_gain
    assert describe(counted).startswith("12 nodes added instead of 0 for 30 calls (")


def test_changed_code_makes_evidence_stale() -> None:
    evidence = Evidence("slow-thing", (GAIN,))
    assert stale(evidence, [PAIR]) == ()
    assert stale(evidence, [replace(PAIR, workload="def work(): return 2\n")]) == (PAIR.id,)
    assert stale(evidence, []) == (PAIR.id,)


def test_another_framework_version_of_the_pair_does_not_change_its_digest() -> None:
    assert digest(replace(PAIR, versions=(("tensorflow", "2.4"),))) == digest(PAIR)


def test_a_new_measurement_replaces_the_one_of_the_same_place_only() -> None:
    elsewhere = replace(GAIN, machine=replace(GAIN.machine, cpu="another"))
    again = replace(GAIN, date="2027-01-02")
    old = Evidence("slow-thing", (GAIN, elsewhere))
    new = merged(old, Evidence("slow-thing", (again,)), [PAIR])
    assert set(new.measurements) == {again, elsewhere}


def test_merging_drops_what_is_about_other_code() -> None:
    other = replace(PAIR, workload="def work(): return 2\n")
    kept = merged(Evidence("slow-thing", (GAIN,)), Evidence("slow-thing"), [other])
    assert kept.measurements == ()


def test_a_pair_measured_elsewhere_is_not_called_unmeasured() -> None:
    reason = Unmeasured(PAIR.id, "TensorFlow is not installed")
    old = Evidence("slow-thing", (GAIN,))
    new = merged(old, Evidence("slow-thing", unmeasured=(reason,)), [PAIR])
    assert new == old


def test_evidence_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    evidence = Evidence("slow-thing", (GAIN,), (Unmeasured("slow-thing/jax", "not installed"),))
    write_evidence(path, evidence)
    assert read_evidence(path, "slow-thing") == evidence
    assert list(tmp_path.iterdir()) == [path]


def test_no_file_is_no_evidence(tmp_path: Path) -> None:
    assert read_evidence(tmp_path / "absent.json", "slow-thing") == Evidence("slow-thing")


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        json.dumps({"format": 99}),
        json.dumps({"format": 1, "rule": "x"}),
        json.dumps({"format": 1, "rule": "x", "measurements": [{}], "unmeasured": []}),
    ],
)
def test_evidence_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "evidence.json"
    path.write_text(text)
    with pytest.raises(EvidenceError, match=r"evidence\.json: this evidence"):
        read_evidence(path, "slow-thing")
