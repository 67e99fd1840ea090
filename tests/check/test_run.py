"""What a text gives when rules are run on it."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.check.small_rules import BROKEN, ODD, SLOW, selection

from deepperf import check_text
from deepperf.check.run import check_file
from deepperf.config.options import Options
from deepperf.records import Level, Report
from deepperf.rules.registry import LoadedRule
from deepperf.semantics.files import project as files
from deepperf.semantics.files.project import Project
from deepperf.semantics.names import structure
from deepperf.semantics.names.scopes import Scopes
from deepperf.semantics.text.source import Source, read_source, role_of


def report_on(text: str, *rules: LoadedRule, path: str = "train.py") -> Report:
    project = Project({path: Source(path, text, role_of(path))})
    return check_file(project, path, selection(*rules)).report


def test_findings_come_in_the_order_of_the_file() -> None:
    report = report_on("odd(1)\nslow(2)\nodd(3)\n", SLOW, ODD)

    assert [(f.location.line, f.rule) for f in report.findings] == [
        (1, "odd-call"),
        (2, "slow-call"),
        (3, "odd-call"),
    ]


def test_a_rule_that_crashes_costs_itself_alone() -> None:
    report = report_on("slow(1)\n", BROKEN, SLOW)

    assert [finding.rule for finding in report.findings] == ["slow-call"]
    (failure,) = report.failures
    assert (failure.internal, failure.rule) == (True, "broken-rule")
    assert failure.message.startswith("rule broken-rule crashed: ZeroDivisionError: no rule for")
    assert "\n" not in failure.message


def test_a_file_that_cannot_be_taken_apart_costs_itself_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def find_scopes(tree: ast.Module, path: str) -> Scopes:
        if path == "new.py":
            raise KeyError("a kind of statement of tomorrow's Python")
        return structure.find_scopes(tree, path)

    monkeypatch.setattr(files, "find_scopes", find_scopes)
    texts = {"new.py": "slow(1)\n", "old.py": "slow(2)\n"}
    project = Project({path: Source(path, text, role_of(path)) for path, text in texts.items()})
    new, old = (check_file(project, path, selection(SLOW)).report for path in texts)

    assert [(f.internal, f.message[:27]) for f in new.failures] == [
        (True, "reading crashed: KeyError: ")
    ]
    assert [finding.rule for finding in old.findings] == ["slow-call"]
    assert old.failures == ()


def test_a_broken_statement_is_a_failure_and_the_rest_is_checked() -> None:
    report = report_on("x = = 1\nslow(2)\n", SLOW)

    assert [finding.location.line for finding in report.findings] == [2]
    assert [failure.location.line for failure in report.failures] == [1]
    assert not any(failure.internal for failure in report.failures)


def test_an_unknown_selector_is_a_failure_for_those_who_only_have_text() -> None:
    report = check_text("x = 1\n", Options(select=("no-such-rule",)))

    (failure,) = report.failures
    assert "no-such-rule" in failure.message
    assert not failure.internal


def test_a_notebook_is_reported_by_cell() -> None:
    notebook = (
        '{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["x = 1"]},'
        '{"cell_type": "code", "metadata": {}, "outputs": [],'
        '"source": ["y = 2\\n", "# deepperf: ignore[nothing-known]"]}],'
        '"metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )

    report = check_text(notebook, Options(level=Level.NOTE), "train.ipynb")

    (finding,) = report.findings
    assert (finding.location.cell, finding.location.line) == (2, 2)


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert isinstance(check_text(text), Report)


@given(st.text(alphabet="slow(od)\n\x00 =:#[]'\"\\\r\x0c", max_size=60))
def test_no_almost_python_raises(text: str) -> None:
    report = check_text(text)

    assert not any(failure.internal for failure in report.failures), report.failures


def test_decorators_that_decorate_their_own_wrappers_crash_no_rule() -> None:
    program = """import tensorflow as tf


def logged(function):
    @counted
    def wrapper(*given):
        return tf.Session().run(function(*given))

    return wrapper


def counted(function):
    @logged
    def wrapper(*given):
        return tf.Session().run(function(*given))

    return wrapper


@logged
def step(i):
    return tf.exp(float(i))


while True:
    step(1)
"""

    report = check_text(program, Options(level=Level.NOTE))

    assert report.failures == ()
    assert "session-per-step" in {finding.rule for finding in report.findings}


def test_classes_that_inherit_from_each_other_end_every_search() -> None:
    program = """import tensorflow as tf


class Base:
    def __init__(self, paths):
        self.scale = tf.function(lambda x: x / 255.0)
        self.paths = paths

    def prepare(self, x):
        return tf.cast(x, tf.float32) / 255.0

    def load(self):
        return tf.data.Dataset.from_tensor_slices(self.paths).map(self.prepare).batch(32)


class First(Base, Second):
    pass


class Second(First):
    pass


for paths in shards:
    Second(paths).load()
"""

    report = check_text(program, Options(level=Level.NOTE))

    assert report.failures == ()
    assert "map-before-batch" in {finding.rule for finding in report.findings}


def test_a_place_that_rests_on_itself_crashes_no_rule() -> None:
    program = """import os
import tensorflow as tf


def ask(samples, path):
    for sample in samples:
        inner = os.path.join(inner, "next")
        tf.keras.models.load_model(inner).predict(sample)
        print(tf.keras.models.load_model("best.h5").predict(sample))
"""

    report = check_text(program, Options(level=Level.NOTE))

    assert report.failures == ()
    again = [finding for finding in report.findings if finding.rule == "model-per-turn"]
    assert [finding.location.line for finding in again] == [9]


def test_a_default_in_another_file_crashes_no_rule() -> None:
    texts = {
        "models.py": (
            "import tensorflow as tf\n\n\n"
            "def plain(path, loss=lambda x, y: x - y, fresh=True):\n"
            "    model = tf.keras.models.load_model(path) if fresh else None\n"
            "    return model, loss\n"
        ),
        "search.py": (
            "from models import plain\n\n\n"
            "def search(tables):\n"
            "    for table in tables:\n"
            "        print(plain('best.h5')[0].predict(table))\n"
        ),
    }
    sources = {path: read_source(path, text.encode()) for path, text in texts.items()}
    assert all(isinstance(source, Source) for source in sources.values())
    project = Project(sources)  # type: ignore[arg-type]

    report = check_text(texts["models.py"], Options(level=Level.NOTE), "models.py", project)

    assert report.failures == ()
    assert [finding.rule for finding in report.findings] == ["model-per-turn"]
