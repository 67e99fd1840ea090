"""Of files that are read whole, the few columns or rows that are used are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import script, trace_of

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.program.parts_used import Parts, parts_used
from deepperf.dynamic.recording.trace import Observation
from deepperf.dynamic.signals import repeated_read
from deepperf.dynamic.signals.unused_parts import diagnose

USED = {
    'd = pd.read_csv(p)\nprint(d["a"], d["b"].mean())': Parts(("a", "b"), 0),
    'd = pd.read_csv(p)\nx = d[["a", "b"]]\ny = d["a"]': Parts(("a", "b"), 0),
    'd = pd.read_csv(p)\nfor n in range(len(d)):\n    print(d["a"][n])': Parts(("a",), 0),
    'x = pd.read_csv(p)["a"]': Parts(("a",), 0),
    "d = np.load(p)\nx = d[3]": Parts((), 1),
    "d = np.load(p)\nx = d[:20]\ny = d[5:8, 1]": Parts((), 23),
    "for p in ps:\n    d = np.load(p)\n    x = d[0]": Parts((), 1),
}
UNKNOWN = (
    'd = pd.read_csv(p)\nfit(d)\nprint(d["a"])',
    'd = pd.read_csv(p)\nprint(d["a"], d.mean())',
    "d = pd.read_csv(p)\nprint(d[mask])",
    'd = pd.read_csv(p)\nd["c"] = d["a"]\nd.to_csv(q)',
    "d = pd.read_csv(p)",
    "d = np.load(p)\nfor n in range(9):\n    f(d[n])",
    "d = np.load(p)\nfor n in range(9):\n    f(d[0])",
    "d = np.load(p)\nf(d[n])",
    "d = np.load(p)\nf(d[::2])",
    'd = pd.read_csv(p)\nd = clean(d)\nprint(d["a"])',
    'def f():\n    global d\n    d = pd.read_csv(p)\n    print(d["a"])',
    "show(pd.read_csv(p))",
)


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if "(p)" in line)


def test_the_columns_and_rows_that_the_text_uses_are_known(tmp_path: Path) -> None:
    for number, (text, parts) in enumerate(USED.items()):
        path = script(tmp_path / str(number), text)
        assert parts_used(str(path), line_of(text)) == parts, text


def test_what_is_used_otherwise_may_be_used_whole(tmp_path: Path) -> None:
    for number, text in enumerate(UNKNOWN):
        path = script(tmp_path / str(number), text)
        assert parts_used(str(path), line_of(text)) is None, text


def told(folder: Path, text: str, **detail: float) -> list[Diagnosis]:
    path = script(folder, text)
    seen = Observation(
        repeated_read.NAME, str(path), line_of(text), "<module>", 3, detail={"took": 4.0, **detail}
    )
    return [*diagnose(trace_of(path, observations=(seen,)))]


def test_columns_that_are_read_for_nothing_have_their_part_of_the_time(tmp_path: Path) -> None:
    (one,) = told(tmp_path, 'd = pd.read_csv(p)\nprint(d["a"], d["b"])', columns=8)
    assert one.share == pytest.approx(0.3)
    assert one.message == "all columns of a file are read, and 2 of them are used"
    assert "usecols=['a', 'b']" in one.remedy
    assert told(tmp_path, 'd = pd.read_csv(p)\nprint(d["a"], d["b"])', columns=3) == []


def test_rows_that_are_read_for_nothing_are_mapped(tmp_path: Path) -> None:
    (one,) = told(tmp_path, "d = np.load(p)\nx = d[3]", rows=400)
    assert one.share == pytest.approx(0.4, abs=0.01)
    assert "mmap_mode" in one.remedy
    assert told(tmp_path, "d = np.load(p)\nx = d[3]") == []
