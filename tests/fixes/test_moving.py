"""A statement at the end of a function, moved behind its call."""

from __future__ import annotations

from textwrap import indent

import pytest

from deepperf.fixes.moving import move_behind
from deepperf.records import Edit

TEXT = """\
def step(x, scale):
    y = x * scale
    print("mean", y.mean(), x.shape)
    return y


def run(batches, factor):
    for batch in batches:
        out = step(batch, factor)
        keep(out)
"""
MOVED = """\
def step(x, scale):
    y = x * scale
    return y


def run(batches, factor):
    for batch in batches:
        out = step(batch, factor)
        print("mean", out.mean(), batch.shape)
        keep(out)
"""
PRINTED, CALLED = 'print("mean", y.mean(), x.shape)', "step(batch, factor)"


def moved(text: str, printed: str = PRINTED, called: str = CALLED) -> str | None:
    start, call = text.index(printed), text.index(called)
    passed = {"x": "batch", "scale": "factor"}
    place = (call, call + len(called))
    edits = move_behind(text, start, start + len(printed), place, passed)
    return None if edits is None else applied(text, edits)


def applied(text: str, edits: tuple[Edit, ...]) -> str:
    for edit in sorted(edits, key=lambda one: -one.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def test_it_reads_what_the_caller_passed_and_was_given() -> None:
    assert moved(TEXT) == MOVED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return y\n", "    y = y + 1\n    return y\n"),
        ("    return y\n", "    return y, x\n"),
        ("    y = x * scale\n", "    y = x * scale\n    x = y\n"),
        ("out = step(batch, factor)", "batch = step(batch, factor)"),
        ("out = step(batch, factor)", "out = [step(batch, factor)]"),
        ("out = step(batch, factor)", "out.kept = step(batch, factor)"),
        ('print("mean",', 'print("mean", [x for x in y],'),
        ('print("mean",', 'print("mean", z,'),
        ('    print("mean",', '    z = 1\n    print("mean", z,'),
    ],
)
def test_what_it_could_not_read_behind_the_call_stays(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    text = text.replace("    for batch", "    z = 2\n    for batch")
    rest = text[text.index("print(") :]
    printed = rest[: rest.index("\n")]
    assert moved(text, printed) is None


NAMED = TEXT.replace(PRINTED, "print(tag, y.mean())")
CALLER = NAMED[NAMED.index("def run") :]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(NAMED.replace("factor):", "factor, tag):"), id="a parameter"),
        pytest.param(
            NAMED.replace(CALLER, "def make(tag):\n" + indent(CALLER, "    ")),
            id="of a function around the caller",
        ),
    ],
)
def test_what_is_another_variable_where_the_call_stands_stays(text: str) -> None:
    assert moved(NAMED, "print(tag, y.mean())") is not None
    assert moved(text, "print(tag, y.mean())") is None
