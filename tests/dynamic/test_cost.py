"""What recording may cost is granted once, and told once."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from deepperf.dynamic.recording.cost import (
    EARLY,
    EARLY_SHARE,
    FIRST,
    SHARE,
    Budget,
    Own,
    Purse,
    Toll,
)
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


def test_a_beginning_is_granted_more_than_what_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget()
    monkeypatch.setattr(time, "process_time", lambda: EARLY + 100.0)
    budget.charge(FIRST + EARLY_SHARE * EARLY + SHARE * 100.0 - 0.001)
    assert not budget.is_early
    assert budget.is_left()
    assert not budget.is_left(0.002)
    budget.charge(0.002)
    assert not budget.is_left()


def test_what_has_cost_too_much_puts_off_what_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 50.0
    monkeypatch.setattr(time, "process_time", lambda: now)
    budget = Budget()
    budget.charge(FIRST + EARLY_SHARE * EARLY + SHARE * 40.0 + 0.4)
    assert not budget.is_left()
    now += 0.3 / SHARE
    assert not budget.is_left()
    now += 0.2 / SHARE
    assert budget.is_left()


def test_what_a_pause_takes_grants_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 20.0
    monkeypatch.setattr(time, "process_time", lambda: now)
    budget = Budget()
    budget.charge(FIRST + EARLY_SHARE * EARLY + SHARE * 10.0 + 0.001)
    budget.close()
    now += 1000.0
    budget.open()
    assert not budget.is_left()


def test_what_threads_do_at_the_same_time_is_told_of_each() -> None:
    own = Own()
    is_within, is_done = threading.Event(), threading.Event()

    def other() -> None:
        is_within.set()
        is_done.wait(10)
        busy(0.02)

    thread = threading.Thread(target=lambda: own.timed(other))
    thread.start()
    is_within.wait(10)
    own.timed(lambda: busy(0.03))
    is_done.set()
    thread.join()
    assert own.seconds == pytest.approx(0.05, abs=0.008)


def test_what_the_program_does_meanwhile_is_no_part_of_what_hearing_took() -> None:
    toll = Toll()
    for _ in range(122):
        begin = toll.begin()
        if begin:
            working = time.thread_time()
            busy(0.005)
            begin += time.thread_time() - working
            busy(0.001)
            toll.end(begin)
    assert toll.seconds == pytest.approx(122 * 0.001, rel=0.3)
