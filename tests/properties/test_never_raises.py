"""No text whatsoever makes us crash, and what is found lies in the text."""

from __future__ import annotations

import json
import time

import hypothesmith
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.properties.curious import everything
from tests.properties.specimens import damaged, tried

from deepperf import check_text
from deepperf.check.engine import installed_rules
from deepperf.check.run import check_file
from deepperf.check.sources import read_text
from deepperf.config.options import Options
from deepperf.records import Failure, Level, Location, Report
from deepperf.semantics.files.project import Project

ALL = Options(preview=True, level=Level.NOTE)


def questioned(text: str, path: str = "train.py") -> Report:
    """What all rules, the curious ones among them, say about a text that stands alone."""
    source = read_text(path, text.encode("utf-8", "surrogatepass"))
    if isinstance(source, Failure):
        return Report(path, failures=(source,))
    report = check_file(Project({path: source}), path, everything(installed_rules)(ALL)).report
    for finding in report.findings:
        assert_inside(source.text, finding.location)
        for step in finding.path:
            assert_inside(source.text, step.location)
    for failure in report.failures:
        assert_inside(source.text, failure.location)
    return report


def assert_inside(text: str, location: Location) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    start = (location.line, location.column)
    end = (location.end_line, location.end_column)
    assert (1, 1) <= start <= end
    assert location.end_line <= len(lines)
    assert location.column <= len(lines[location.line - 1]) + 1
    assert location.end_column <= len(lines[location.end_line - 1]) + 1


def assert_sound(text: str) -> None:
    report = questioned(text)
    assert not [failure for failure in report.failures if failure.internal]
    alone = check_text(text, ALL)
    assert not [failure for failure in alone.failures if failure.internal]


@tried(15)
@given(damaged())
def test_damaged_programs(text: str) -> None:
    assert_sound(text)


@tried(40)
@given(st.text(max_size=300))
@example("\t0")
def test_any_text(text: str) -> None:
    assert_sound(text)


@tried(40)
@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    source = read_text("train.py", data)
    if not isinstance(source, Failure):
        assert_sound(source.text)


@tried(15)
@given(hypothesmith.from_grammar(auto_target=False))
def test_text_of_the_grammar(text: str) -> None:
    assert_sound(text)


@tried(20)
@given(damaged(most=3), st.integers(0, 3))
def test_damaged_notebooks(text: str, damage: int) -> None:
    half = len(text) // 2
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": part}
        for part in ("%pip install x\n" + text[:half], text[half:].splitlines(keepends=True), None)
    ]
    document = json.dumps({"cells": cells[: 2 + damage % 2], "metadata": {}, "nbformat": 4})
    cut = document if damage < 2 else document[: half * damage]

    report = check_text(cut, ALL, "train.ipynb")

    assert not [failure for failure in report.failures if failure.internal]


HEAD = "import tensorflow as tf\nimport torch\n"
DEEP = {
    "a chain of elif": HEAD
    + "def f(a):\n if a == 0: x = tf.zeros(3)\n"
    + "".join(f" elif a == {i}: x = tf.zeros({i})\n" for i in range(1, 1_000))
    + " return x\n",
    "a chain of attributes": "x = a" + ".b" * 50_000 + "\n",
    "a chain of known calls": HEAD + "x = tf.data.Dataset.range(3)" + ".map(f)" * 150 + "\n",
    "a chain of unknown calls": "x = a" + ".b()" * 5_000 + "\n",
    "a long sum": HEAD + "x = " + " + ".join(["tf.zeros(3)"] * 3_000) + "\n",
    "a sum of many terms in a loop": HEAD
    + "for i in q:\n x = "
    + " + ".join(["tf.zeros(3)"] * 60)
    + "\n",
    "many parentheses": "x = " + "(" * 5_000 + "1" + ")" * 5_000 + "\n",
    "parentheses that are just legal": "x = " + "(" * 150 + "1" + ")" * 150 + "\n",
    "open brackets": "(\n" * 3_000,
    "a list of many numbers": "x = [" + ", ".join(map(str, range(20_000))) + "]\n",
    "a long string": "x = '" + "a" * 200_000 + "'\n",
    "a string that never ends": 'x = """' + "a\n" * 3_000,
    "many blocks": "".join(" " * i + "if a:\n" for i in range(99)) + " " * 99 + "tf.zeros(3)\n",
    "more blocks than Python allows": "".join(" " * i + "if a:\n" for i in range(150)) + " x\n",
    "loops within loops": HEAD
    + "".join(" " * i + f"for i{i} in range(n):\n" for i in range(18))
    + " " * 18
    + "tf.zeros(3)\n",
    "lambdas within lambdas": HEAD + "f = " + "lambda x: " * 90 + "tf.zeros(x)\n",
    "calls within calls": HEAD + "x = " + "tf.abs(" * 90 + "1" + ")" * 90 + "\n",
    "comprehensions within comprehensions": HEAD
    + "x = "
    + "[" * 60
    + "tf.zeros(i)"
    + " for i in range(n)]" * 60
    + "\n",
    "a number of many digits": HEAD + f"for i in range(0x{'f' * 100_000}): tf.zeros(i)\n",
    "a number too large to work out": HEAD + "for i in range(9**9**9): tf.zeros(i)\n",
    "a shift too far": HEAD + "for i in range(1 << (1 << 40)): tf.zeros(i)\n",
    "a text too large to repeat": HEAD + "for i in 'a' * 10**12: tf.zeros(i)\n",
    "functions that call each other": HEAD
    + "".join(
        f"def f{i}(x):\n" + "".join(f" x = f{j}(x)\n" for j in range(12)) + " return x\n"
        for i in range(12)
    ),
    "names that stand for themselves": "x = x\ndef f(x=f): return f(f(x))\nclass A(A): f = f\n"
    "for i in f(): A().x.y(f, x)\n",
    "lines that are all wrong": "x = = 1\n" * 1_000,
    "null bytes": "\0" * 50 + "x = 1\n" * 500,
    "lone surrogates": "x = '\ud800'\nprint x\n",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_and_long(name: str) -> None:
    begin = time.process_time()

    assert_sound(DEEP[name])

    assert time.process_time() - begin < 20, "the cost of a file must be bounded"
