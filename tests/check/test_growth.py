"""The time of a check grows with the program, not with its square."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from textwrap import indent
from typing import Any

import pytest

from deepperf import Options, check_text
from deepperf.records import Level
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.program import answers

HEAD = """\
import jax
import keras
import numpy as np
import tensorflow as tf
import torch

network = torch.nn.Sequential(torch.nn.Linear(8, 8))
model = keras.models.load_model("model.keras")


@tf.function
def step(x):
    return tf.reduce_sum(x)


def explore(x, table):
    rows = []
"""
STEP = """\
    y{n} = model(x[None])
    z{n} = np.asarray(y{n}[0]) + float(step(x))
    table[{n}] = z{n}.mean() + tf.reduce_sum(y{n}).numpy()
    with torch.no_grad():
        w{n} = network(torch.tensor(z{n}).unsqueeze(0))
    rows.append(jax.jit(lambda v: v + 1)(w{n}))
    if rows[-1] > {n}:
        x = x + np.sqrt(table[0])
"""
BRANCHING = """\
import tensorflow as tf


def load(paths, flags):
    data = tf.data.Dataset.from_tensor_slices(paths)
"""
BRANCH = """\
    if flags[{n}]:
        data = data.map(lambda x: tf.cast(x, tf.float32) * {n})
"""
MOST = 9
"""Times as long that a function four times as long may take: if every line were looked at for
every line it would be sixteen, and a busy machine doubles some."""


def test_a_function_four_times_as_long_takes_about_four_times_as_long() -> None:
    seconds_for(function(10))
    short = min(seconds_for(function(25)) for _ in range(3))
    assert seconds_for(function(100)) < MOST * short


def test_the_branches_of_a_pipeline_are_not_multiplied_with_each_other() -> None:
    short = min(seconds_for(pipeline(7)) for _ in range(3))
    # Each branch may follow each before it: that much is the square.
    assert seconds_for(pipeline(28)) < 4 * MOST * short


CALLING = """\
import numpy as np
import tensorflow as tf
from tensorflow import keras

model = keras.models.load_model("model.keras")
weights = np.random.rand(2000, 2000)
session = tf.compat.v1.Session()
held = tf.compat.v1.placeholder(tf.float32)
"""
PLANTED = {
    "predict-per-item": "for row in x:\n    y = model.predict(row[None])",
    "loop-invariant-op": "for row in range(1000):\n    y = y + np.linalg.inv(weights)",
    "graph-growth": "for row in range(1000):\n    session.run(tf.square(held))",
}
ALL = Options(level=Level.NOTE)
SHAPES: dict[str, Callable[[int, int], list[int]]] = {
    "all call all": lambda one, most: [other for other in range(most) if other != one],
    "each calls three": lambda one, most: [(one * 7 + step * 5 + 1) % most for step in range(3)],
    "ring": lambda one, most: [(one + 1) % most],
    "tree": lambda one, most: [other for other in (2 * one + 1, 2 * one + 2) if other < most],
}
LOOPED = "for _ in range(n):\n    y = {called}(y, n - 1)"
STRAIGHT = "y = {called}(y, n - 1)"


@pytest.mark.parametrize("most", [14, 40])
@pytest.mark.parametrize("shape", SHAPES)
def test_problems_at_the_far_end_of_functions_that_call_each_other_are_found(
    shape: str, most: int
) -> None:
    text = calling(shape, most, planted="\n".join(PLANTED.values()))
    found = {(one.rule, one.location.line) for one in check_text(text, ALL).findings}
    lines = text.splitlines()
    for rule, planted in PLANTED.items():
        last = lines.index(f"    {planted.splitlines()[1]}") + 1
        assert found & {(rule, last - 1), (rule, last)}, rule


@pytest.mark.parametrize("style", [LOOPED, STRAIGHT])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_asked_grows_with_the_calls_not_with_the_paths_between_them(
    shape: str, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = (asked(calling(shape, most, style), monkeypatch) for most in (20, 40))
    calls = [sum(len(SHAPES[shape](one, most)) for one in range(most)) for most in (20, 40)]
    assert many / few < 2 * calls[1] / calls[0]


def test_methods_that_call_each_other_take_no_more_than_functions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    functions = asked(calling("all call all", 20), monkeypatch)
    assert asked(methods(calling("all call all", 20)), monkeypatch) < 2 * functions


def test_forty_functions_that_call_each_other_in_loops_end() -> None:
    # Some two seconds of an idle core; they never ended, which a busy one is far from.
    assert seconds_for(calling("all call all", 40)) < 20


def test_the_report_says_which_function_was_followed_only_in_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "MOST_ROUNDS", 1)
    (failure,) = check_text(calling("all call all", 14), Options(level=Level.NOTE)).failures
    assert re.search(r"`f\d+` and what it calls were followed only in part", failure.message)
    assert failure.location.path == "<text>"


def test_who_wants_warnings_is_not_told_that_notes_may_be_missing() -> None:
    assert not check_text(calling("all call all", 14)).failures
    assert check_text("def f(:\n").failures


def test_the_report_says_nothing_of_functions_that_were_followed_to_the_end() -> None:
    assert not check_text(calling("ring", 40)).failures


def calling(shape: str, most: int, style: str = LOOPED, planted: str = "pass") -> str:
    """A program of functions that call each other; the last has something more to do."""
    functions = []
    for one in range(most):
        steps = [style.format(called=f"f{other}") for other in SHAPES[shape](one, most)]
        body = "\n".join(["y = x + 1", *steps, *([planted] if one == most - 1 else []), "return y"])
        functions.append(f"def f{one}(x, n):\n{indent(body, '    ')}\n")
    return "\n\n".join([CALLING, *functions, "for step in range(100):\n    f0(weights, step)\n"])


def methods(text: str) -> str:
    """The same functions as methods of one class."""
    head, functions = text.split("\n\n\ndef ", 1)
    functions, last = functions.rsplit("\n\n\nfor ", 1)
    own = re.sub(r"\b(f\d+)\(", r"self.\1(", f"def {functions}")
    own = re.sub(r"def self\.(f\d+)\(", r"def \1(self, ", own)
    last = last.replace("f0(", "Work().f0(")
    return f"{head}\n\n\nclass Work:\n{indent(own, '    ')}\n\n\nfor {last}"


def asked(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many questions are answered anew in one check of a text."""
    number = 0
    remember = Analysis.remember

    def counted(self: Analysis, key: Any, find: Callable[[], Any], *others: Any) -> Any:
        def found() -> Any:
            nonlocal number
            number += 1
            return find()

        return remember(self, key, found, *others)

    with monkeypatch.context() as patch:
        patch.setattr(Analysis, "remember", counted)
        check_text(text)
    return number


def function(steps: int) -> str:
    return HEAD + "".join(STEP.format(n=n) for n in range(steps)) + "    return rows\n"


def pipeline(branches: int) -> str:
    steps = "".join(BRANCH.format(n=n) for n in range(branches))
    return f"{BRANCHING}{steps}    return data.batch(32)\n"


def seconds_for(text: str) -> float:
    """CPU seconds for one check of a text."""
    began = time.process_time()
    check_text(text)
    return time.process_time() - began
