"""What becomes of a broadcast is followed through operations, not told from their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deepperf.dynamic.frameworks.heard_broadcasts import KIND, HeardBroadcasts
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape

np = pytest.importorskip("numpy")

LINE = Place("/program.py", 3, "nearest")
ROWS = np.zeros((4000, 1), "float32")
COLUMNS = np.zeros((1, 4000), "float32")


class Run:
    """Operations on arrays, each told as a framework would."""

    def __init__(self) -> None:
        self.heard = HeardBroadcasts(lambda one: int(getattr(one, "nbytes", 0)))

    def made(self, made: Any, *taken: Any) -> Any:
        self.heard.take(LINE, made.size, taken, [made])
        return made

    def told(self, folder: Path) -> list[list[list[int]]]:
        tape = Tape(folder / "trace", ["program.py"])
        self.heard.note(tape)
        seen = tape.trace("exit").observations
        return [one.detail["shapes"] for one in seen if one.kind == KIND]


def test_what_is_squared_and_summed_is_told_with_its_shapes(tmp_path: Path) -> None:
    run = Run()
    difference = run.made(ROWS - COLUMNS, ROWS, COLUMNS)
    squares = run.made(difference**2, difference)
    run.made(squares.sum(1), squares, np.int32(1))
    assert run.told(tmp_path) == [[[4000, 1], [1, 4000], [4000, 4000]]]


@pytest.mark.parametrize("use", ["nothing", "multiplied", "looked into", "summed and multiplied"])
def test_what_is_a_result_or_needed_whole_is_not(tmp_path: Path, use: str) -> None:
    run = Run()
    table = run.made(ROWS - COLUMNS, ROWS, COLUMNS)
    if "summed" in use:
        run.made(table.sum(1), table, np.int32(1))
    if "multiplied" in use:
        run.made(table @ ROWS, table, ROWS)
    if "looked into" in use:
        run.heard.picked([table])
    assert run.told(tmp_path) == []


def test_what_is_not_made_larger_is_no_broadcast(tmp_path: Path) -> None:
    run = Run()
    table = np.zeros((4000, 4000), "float32")
    doubled = run.made(table * 2, table)
    run.made(doubled.sum(1), doubled, np.int32(1))
    assert run.told(tmp_path) == []
