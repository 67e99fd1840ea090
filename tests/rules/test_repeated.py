"""What a loop repeats comes last where the text shows that it is not felt, or is not told."""

from __future__ import annotations

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Finding, Level

TRUTH = """
import torch


def value(order, place):
    found = torch.exp(-place) * order
    {use}
    return torch.lgamma(found) - torch.sin(found)


def series(place, orders):
    return [value(order, place) for order in range(orders)]
"""


def found(text: str) -> list[Finding]:
    options = Options(select=("loop-invariant-op",), level=Level.NOTE)
    return list(check_text(text, options=options).findings)


def test_a_number_that_decides_is_no_array() -> None:
    decided = found(TRUTH.format(use="if torch.abs(place) < 3.75: return found"))
    assert all(finding.estimate < 0.01 for finding in decided)


def test_what_nothing_is_done_with_is_measured() -> None:
    work = "import numpy as np\n\ndef order(rows):\n    return np.argsort(rows)\n\n"
    measured = "def measure(rows):\n    for _ in range(1000):\n        found = order(rows)\n"
    used = measured + "        print(found[0])\n"
    assert found(work + measured) == []
    assert len(found(work + used)) == 1


def test_what_is_unpacked_for_a_call_may_come_back_changed() -> None:
    text = """
import numpy as np


def slopes(f, inputs, output, shifts):
    for shift in shifts:
        f({given})
        print(shift, np.linalg.svd(output.diffs))
"""
    assert len(found(text.format(given="shift"))) == 1
    assert found(text.format(given="*(inputs + (output,))")) == []
    assert found(text.format(given="{'place': output}")) == []


def test_the_operation_is_named_and_not_what_python_does_with_its_result() -> None:
    text = """
import numpy as np


def shares(rows: np.ndarray, record: np.ndarray):
    for row in rows:
        print(row / len(np.unique(record)))
"""
    assert [finding.message.split("`")[1] for finding in found(text)] == ["np.unique"]
