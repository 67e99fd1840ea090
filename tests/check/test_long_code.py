"""Flat code of any length is analysed: its tree may be thousands of levels deep."""

from __future__ import annotations

import sys

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

LAST = """
import jax
import numpy as np


class Speech:
    def __init__(self, encoder, vocoder):
        self.encoder, self.vocoder = encoder, vocoder

    def __call__(self, text, seed):
        voiced = jax.jit(lambda x: self.vocoder(x))
        return np.array(voiced(self.encoder(text, seed)))
"""
"""What is found in this stands behind the long code."""
COUNT = 3_000
LONG = {
    "branches": "if a == 0: x = 0\n"
    + "".join(f"elif a == {i}: x = f({i})\n" for i in range(1, COUNT)),
    "a sum": "x = " + " + ".join(["f(a)"] * COUNT) + "\n",
    "joined texts": "x = " + " + ".join(["'a'"] * COUNT) + "\n",
    "attributes": "x = a" + ".b" * COUNT + "\n",
    "calls of calls": "x = a" + ".b()" * (COUNT // 2) + "\n",
    "items of items": "x = a" + "[0]" * COUNT + "\n",
    "signs": "x = " + "-" * COUNT + "a\n",
    "lambdas": "x = " + "lambda: " * (COUNT // 2) + "a\n",
    "conditions": "if " + " and ".join(f"a != {i}" for i in range(COUNT)) + ":\n    f(a)\n",
    "a list": "x = [" + ", ".join(f"({i}, f({i}))" for i in range(COUNT)) + "]\n",
    "a dict": "x = {" + ", ".join(f"'k{i}': [{i}]" for i in range(COUNT)) + "}\n",
    "statements": "".join(f"x{i + 1} = f(x{i})\n" for i in range(COUNT)),
    "cases": "match a:\n" + "".join(f"    case {i}: x = f({i})\n" for i in range(COUNT)),
}


# Python 3.12 makes no trees that are so deep, wherever it is asked to.
@pytest.mark.skipif(sys.version_info[:2] == (3, 12), reason="its own parser gives them up")
@pytest.mark.parametrize("name", LONG)
def test_long_flat_code_hides_nothing_behind_it(name: str) -> None:
    inside = "".join(f"    {line}\n" for line in LONG[name].splitlines())
    options = Options(select=("compiled-per-call",), preview=True, level=Level.NOTE)
    alone = check_text(LAST, options)

    report = check_text(f"def g(a, f):\n{inside}{LAST}", options)

    assert not report.failures
    assert len(report.findings) == len(alone.findings) == 1


def test_what_python_itself_does_not_parse_costs_itself_alone() -> None:
    options = Options(select=("compiled-per-call",), preview=True, level=Level.NOTE)

    report = check_text("x = " + "**".join(["a"] * 20_000) + "\n" + LAST, options)

    assert [failure.internal for failure in report.failures] == [False]
    assert len(report.findings) == 1
