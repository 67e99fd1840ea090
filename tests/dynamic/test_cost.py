"""What recording may cost is granted once, and told once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from deepperf.dynamic.recording.cost import FIRST, Budget, Purse
from deepperf.dynamic.recording.tape import Tape


def busy(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_a_purse_is_spent_before_the_budget_of_all_and_leaves_that_as_it_was() -> None:
    budget = Budget()
    purse = Purse(budget, 0.05)
    budget.charge(FIRST + time.process_time())
    assert not budget.is_left()
    assert purse.is_left()
    before = budget.spent
    purse.charge(0.05)
    assert not purse.is_left()
    assert budget.spent == pytest.approx(before + 0.05)
    # What was over the purse, all pay for.
    rich = Budget()
    Purse(rich, 0.05).charge(0.05 + FIRST + time.process_time())
    assert not rich.is_left()


def test_a_closed_budget_closes_its_purses() -> None:
    budget = Budget()
    purse = Purse(budget, 1.0)
    budget.close()
    assert not purse.is_left()
    budget.open()
    assert purse.is_left()


def test_what_is_guarded_within_another_is_told_once(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "run.dperf", ["program.py"])

    def look() -> None:
        busy(0.02)
        tape.guarded("inner", lambda: busy(0.03))

    tape.guarded("outer", look)
    assert tape.seconds_spent == pytest.approx(0.05, abs=0.008)
