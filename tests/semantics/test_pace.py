"""How often loops turn, as far as a program's text tells."""

from __future__ import annotations

import pytest

from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source, read_source
from deepperf.semantics.view import Pace, view_file

HEAD = """
import numpy as np
import tensorflow.compat.v1 as tf
from torch.utils.data import DataLoader

def mean(session, loss, feeds):
    total = 0.0
    for feed in feeds:
        total += session.run(loss, feed_dict=feed)
    return total

def f(session, loss, feeds, epochs, count, things, rows: np.ndarray, loader: DataLoader):
"""


def pace_of(header: str, body: str) -> Pace:
    text = f"{HEAD}    {header}:\n        {body}\n"
    source = read_source("main.py", text.encode())
    assert isinstance(source, Source)
    loops = view_file(Project({"main.py": source}), "main.py").loops()
    return next(loop.pace for loop in loops if loop.header == header)


@pytest.mark.parametrize(
    "header",
    [
        "while True",
        "for step in range(5000)",
        "for row in rows",
        "for batch in loader",
    ],
)
def test_steps_without_end_and_elements_are_often(header: str) -> None:
    assert pace_of(header, "mean(session, loss, feeds)") is Pace.OFTEN


def test_turns_that_go_through_steps_are_seldom() -> None:
    assert pace_of("for thing in things", "mean(session, loss, feeds)") is Pace.SELDOM


@pytest.mark.parametrize("header", ["for number in range(epochs)", "for number in range(200)"])
def test_counted_turns_that_go_through_a_data_set_are_epochs(header: str) -> None:
    body = "for batch in loader:\n            session.run(loss, feed_dict=batch)"
    assert pace_of(header, body) is Pace.SELDOM


def test_a_loop_is_no_epoch_for_its_name() -> None:
    assert pace_of("for epoch in range(200)", "session.run(loss)") is Pace.OFTEN


def test_numbered_turns_that_go_on_batch_by_batch_are_epochs() -> None:
    body = "for at in range(0, count, 64):\n            session.run(loss, feed_dict=feeds[at])"
    assert pace_of("for number in range(300)", body) is Pace.SELDOM


def test_rows_of_an_array_are_not_few_for_their_name() -> None:
    assert pace_of("for level in rows", "session.run(level)") is Pace.OFTEN


def test_a_few_turns_are_seldom() -> None:
    assert pace_of("for number in range(3)", "print(number)") is Pace.SELDOM


def test_kinds_told_apart_by_name_are_seldom() -> None:
    body = "print(thing == 'accuracy', thing == 'entropy')"
    assert pace_of("for thing in things", body) is Pace.SELDOM


def test_a_file_of_records_is_a_data_set_of_its_own() -> None:
    assert pace_of("for thing in things", "tf.data.TFRecordDataset(thing)") is Pace.SELDOM


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("for thing in things", "session.run(thing)"),
        ("for epoch in range(epochs)", "session.run(loss)"),
        ("for step in range(count)", "mean(session, loss, feeds)"),
    ],
    ids=["items that each take one step", "epochs of a single step", "numbered steps"],
)
def test_otherwise_nothing_is_known(header: str, body: str) -> None:
    assert pace_of(header, body) is Pace.UNKNOWN


def test_an_estimator_goes_through_its_data() -> None:
    body = "print(list(tf.estimator.LinearRegressor([]).predict(thing)))"
    assert pace_of("for thing in things", body) is Pace.SELDOM
