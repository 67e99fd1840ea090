"""Measuring the pairs of whole pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from deepperf.bench.campaign import measure_rules
from deepperf.rules.evidence import Status, read_evidence, status
from deepperf.rules.registry import RuleFiles

WORKLOAD = """\
QUANTITY = "steps"
steps = []

def step():
    steps.append(1)

def work():
    run()
    return "done"

def count():
    return len(steps)
"""


def section(heading: str, bad: str) -> str:
    return (
        f"## {heading}\n\n```python bad\ndef run():\n    {bad}\n```\n\n"
        f"```python good\ndef run():\n    step()\n```\n\n```python workload\n{WORKLOAD}```\n\n"
    )


def rule_with(folder: Path, *sections: str) -> RuleFiles:
    page = folder / "slow_thing" / "page.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text("# slow-thing\n\nSlow.\n\n" + "".join(sections))
    return RuleFiles(
        name="slow-thing",
        topic="tracing",
        module="",
        source=page.with_name("rule.py"),
        page=page,
        evidence=page.with_name("evidence.json"),
    )


def test_every_pair_is_measured_and_its_evidence_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = rule_with(tmp_path, section("NumPy", "[step() for _ in range(4)]"))
    assert measure_rules([rule], 2)
    evidence = read_evidence(rule.evidence, rule.name)
    assert status(evidence) is Status.MEASURED
    assert evidence.measurements[0].bad == (4.0, 4.0)
    said = capsys.readouterr().out
    assert "slow-thing/numpy: 4 steps instead of 1 (NumPy " in said


def test_a_crash_is_named_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = rule_with(tmp_path, section("NumPy", "absent()"), section("NumPy 2", "step(), step()"))
    assert not measure_rules([rule], 2)
    measured = read_evidence(rule.evidence, rule.name).measurements
    assert [entry.pair for entry in measured] == ["slow-thing/numpy-2"]
    assert capsys.readouterr().err == (
        "deepperf: slow-thing/numpy: the bad side does not run: "
        "NameError: name 'absent' is not defined\n"
    )


def test_what_cannot_be_measured_here_is_named_and_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = '```toml\nversions = {numpy = "0.9"}\n```\n\n'
    text = section("NumPy", "step()").replace("```python bad", options + "```python bad", 1)
    rule = rule_with(tmp_path, text)
    assert measure_rules([rule], 2)
    assert "slow-thing/numpy: not measured: it is about NumPy 0.9" in capsys.readouterr().out
    evidence = read_evidence(rule.evidence, rule.name)
    assert evidence.unmeasured[0].pair == "slow-thing/numpy"
    assert status(evidence) is Status.PREVIEW


def test_a_page_that_cannot_be_read_is_named_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken").mkdir()
    broken = rule_with(tmp_path / "broken", "```python baad\n```\n")
    whole = rule_with(tmp_path, section("NumPy", "step(), step()"))
    assert not measure_rules([broken, whole], 2)
    assert read_evidence(whole.evidence, whole.name).measurements
    assert "page.md:5: unknown fence `python baad`" in capsys.readouterr().err


def test_a_changed_page_loses_the_evidence_about_the_old_one(tmp_path: Path) -> None:
    measure_rules([rule_with(tmp_path, section("NumPy", "step(), step()"))], 2)
    rule = rule_with(tmp_path, section("NumPy", "step(), step(), step()"))
    assert measure_rules([rule], 2)
    (entry,) = read_evidence(rule.evidence, rule.name).measurements
    assert entry.bad == (3.0, 3.0)
