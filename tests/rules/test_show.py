"""A rule as its reader sees it."""

from __future__ import annotations

from dataclasses import replace

from deepperf.rules.evidence import (
    Comparison,
    Evidence,
    Machine,
    Measurement,
    Unmeasured,
    digest,
)
from deepperf.rules.page import parse_page
from deepperf.rules.show import page_text, page_with_evidence

PAGE = parse_page(
    "# slow-thing\n\nSlow.\n\n"
    "## TensorFlow\n\n```python bad\nslow()\n```\n\n```python good\nfast()\n```\n\n"
    "## PyTorch\n\n```python bad\nslow()\n```\n\n```python good\nfast()\n```\n\n"
    "## JAX\n\n```python bad\nslow()\n```\n\n```python good\nfast()\n```\n",
    "page.md",
    "slow-thing",
)
MEASURED = Measurement(
    pair="slow-thing/tensorflow",
    digest=digest(PAGE.pairs[0]),
    framework="tensorflow",
    quantity="CPU time",
    unit="s",
    size="",
    bad=(4.0, 4.1),
    good=(1.0, 1.0),
    comparison=Comparison(4.05, 3.9, 4.2, 0.95, "a method"),
    machine=Machine("a processor", 2, 8 << 30, "", "Linux"),
    threads=1,
    python="3.12.1",
    versions=(("tensorflow", "2.21.0"),),
    date="2026-11-21",
    results_equal=True,
    tolerance=1e-5,
)


def test_the_page_comes_first_and_its_evidence_after_it() -> None:
    shown = page_with_evidence(PAGE, Evidence("slow-thing"))
    assert shown.startswith("# slow-thing\n\nSlow.\n\n## TensorFlow\n")
    assert "\n## Evidence\n\nStatus: preview.\n" in shown


def test_what_a_block_of_code_is_stands_above_it_in_words() -> None:
    example = "```python bad\nslow()  # finding: twice\n```\n\n```python bad path=a.py\nx\n```\n"
    text = f"## JAX\n\n{example}"
    shown = page_text(parse_page(text, "page.md", "slow-thing"))
    assert "Slow:\n\n```python\nslow()  # finding\n```" in shown
    assert "Slow (`a.py`):\n\n```python\nx\n```" in shown


def test_each_pair_is_measured_or_says_why_not() -> None:
    evidence = Evidence(
        "slow-thing", (MEASURED,), (Unmeasured("slow-thing/pytorch", "needs two GPUs"),)
    )
    shown = page_with_evidence(PAGE, evidence)
    assert "Status: measured. In short, 4x more CPU time" in shown
    assert "- `slow-thing/tensorflow`: 4x more CPU time (3.9 to 4.2, " in shown
    assert "- `slow-thing/pytorch`: not measured: needs two GPUs\n" in shown
    assert "- `slow-thing/jax`: not measured yet (JAX)\n" in shown


def test_a_measurement_without_gain_is_shown_too() -> None:
    none = replace(MEASURED, comparison=Comparison(1.0, 0.9, 1.1, 0.95, "a method"))
    shown = page_with_evidence(PAGE, Evidence("slow-thing", (none,)))
    assert "Status: expired.\n" in shown
    assert "- `slow-thing/tensorflow`: no gain in CPU time, 1x" in shown
