"""Windows of a framework that comes later are seen to as well, though all before them are over."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from deepperf.dynamic.recording.forking import THREADS
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.windows import NAME, Windows


def threads() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == f"{THREADS} {NAME}"]


def opened(tape: Tape, name: str) -> Windows:
    windows = Windows(tape, name, 1.0, lambda _: True, lambda _: True, lambda: None)
    windows.begin()
    return windows


def test_windows_that_begin_after_others_have_ended_have_a_thread(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "run.dperf", ["program.py"])
    first = opened(tape, "first")
    (seen_to,) = threads()
    first.stop()
    seen_to.join(10.0)
    assert threads() == []
    second = opened(tape, "second")
    assert len(threads()) == 1
    tape.budget.charge(time.process_time() + 100.0)
    (seen_to,) = threads()
    while not second.is_over and second.is_open:
        time.sleep(0.01)
    assert not second.is_open
    second.stop()
    seen_to.join(10.0)
    assert threads() == []
