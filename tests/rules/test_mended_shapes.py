"""Which option the fix of `shape-per-call` gives TensorFlow."""

from __future__ import annotations

import pytest

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Level, Safety

TEXT = """\
import tensorflow as tf


@tf.function
def score(tokens):
    return tf.reduce_sum(tf.sin(tokens))


def run(rows):
    return [score(tf.constant([float(n) for n in row.split()])) for row in rows]
"""
FLOATS = "input_signature=[tf.TensorSpec([None], tf.float32)]"
RELAXED = "reduce_retracing=True"


def decorator(text: str) -> str:
    options = Options(select=("shape-per-call",), level=Level.NOTE)
    fixed = fix_text(text, lambda now: check_text(now, options).findings, Safety.UNSAFE).text
    return next(line for line in fixed.splitlines() if line.startswith("@"))


def test_one_list_of_numbers_gets_a_signature() -> None:
    assert decorator(TEXT) == f"@tf.function({FLOATS})"
    whole = TEXT.replace("tf.sin(tokens)", "tf.abs(tokens)").replace("float(n)", "int(n)")
    assert decorator(whole) == f"@tf.function({FLOATS.replace('float', 'int')})"
    options = TEXT.replace("@tf.function", "@tf.function(autograph=False)")
    assert decorator(options) == f"@tf.function(autograph=False, {FLOATS})"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def score(tokens):", "def score(tokens, scale=1.0):"),
        ("float(n)", "[float(n)]"),
        ("float(n)", "table[n]"),
        ("row.split()])", "row.split()], tf.float64)"),
        ("def run(rows):", "def once(x):\n    return score(x)\n\n\ndef run(rows):"),
    ],
)
def test_what_else_it_may_be_passed_is_only_relaxed(old: str, new: str) -> None:
    assert decorator(TEXT.replace(old, new)) == f"@tf.function({RELAXED})"


def test_shapes_that_python_reads_are_left_as_they_are() -> None:
    text = TEXT.replace("tf.sin(tokens)", "tf.sin(tokens) / len(tokens)")
    assert decorator(text) == "@tf.function"
