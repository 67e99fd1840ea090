"""What a loop of tiny operations is a case of is told from what they need of each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from deepperf.dynamic.program.operation_loops import Loop, smells
from deepperf.dynamic.recording.trace import Observation

CELL = """\
def step(self, x, h):
    return tf.tanh(x @ self.w + h @ self.u)


def run(self, rows, h):
    for t in range(40):
        {turn}
    return h
"""


@pytest.mark.parametrize(
    ("turn", "what"),
    [("h = self.step(rows[:, t], h)", "eager"), ("made.append(self.step(rows[:, t], h))", "slice")],
)
def test_slices_that_need_the_slice_before_cannot_be_joined(
    tmp_path: Path, turn: str, what: str
) -> None:
    path = tmp_path / "program.py"
    path.write_text(CELL.replace("{turn}", turn), encoding="utf-8")
    picks = {"picks": 40, "picked": 1280, "calls": 0}
    work = Observation(
        kind="eager-ops",
        file=str(path),
        line=2,
        function="step",
        detail={
            "heard": 160,
            "elements": 5120,
            "kinds": {"MatMul": 40, "AddV2": 40, "Mul": 40, "Tanh": 40},
            "picks": 0,
            "picked": 0,
            "calls": 0,
            "callers": [[str(path), 7, "run"]],
        },
    )
    pick = Observation(
        kind="eager-ops",
        file=str(path),
        line=7,
        function="run",
        detail={"heard": 40, "elements": 1280, "kinds": {"StridedSlice": 40}, **picks},
    )
    (found,) = smells(Loop(str(path), 6, 7), [work, pick])
    assert found.what == what
