"""Threads that wait for the interpreter's lock are told, and others that wait are not."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.dynamic.made import script, trace_of

from deepperf.dynamic.recording.lock_waits import LockWaits, Stood
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals import interpreter_lock
from deepperf.dynamic.signals.interpreter_lock import ALL, AT, HELD, MAIN

WAITS, HOLDS = 10, 17
SECONDS = 4.0


def seen(
    path: Path,
    role: str = "producer",
    count: int = 1,
    seconds: float = SECONDS,
    spread: float = 0.0,
) -> Trace:
    """A run of ten seconds, looked at a hundred times, in which threads waited for so long."""
    looks = 100 * count
    squares = seconds**2 / looks + (spread * count) ** 2
    known = {"count": count, "looks": looks, "seconds": seconds, "squares": squares}
    observations = (
        Observation(ALL, "", 0, "", looks, detail={"threads": {role: known}}),
        Observation(AT, str(path), WAITS, "produce", looks, detail={role: seconds, MAIN: 0.1}),
        Observation(HELD, str(path), HOLDS, "hog", looks, detail={f"{role}\nhog": seconds}),
    )
    return trace_of(path, observations=observations, waited=9.0, machine={"cores": 4})


def test_a_starved_thread_is_told_with_its_line_its_time_and_who_held_the_lock(
    tmp_path: Path,
) -> None:
    path = script(tmp_path)
    (one,) = interpreter_lock.diagnose(seen(path))
    assert one.line == WAITS
    assert one.share == pytest.approx(0.4)
    assert 'the thread "producer" waits for the interpreter\'s lock' in one.message
    assert "waited for 4.0 s, 40% of the run" in one.evidence
    assert f'thread "hog" at train.py:{HOLDS} (100%)' in one.evidence


def test_others_that_wait_less_long_are_told_with_it(tmp_path: Path) -> None:
    path = script(tmp_path)
    whole, at, held = seen(path).observations
    less = {"count": 1, "looks": 100, "seconds": 3.0, "squares": 0.09}
    whole.detail["threads"][MAIN] = less
    (one,) = interpreter_lock.diagnose(trace_of(path, observations=(whole, at, held)))
    assert "producer" in one.message
    assert f"the main thread waited, too, for 3.0 s at train.py:{WAITS}" in one.evidence


def test_each_thread_of_a_pool_must_wait_for_long(tmp_path: Path) -> None:
    path = script(tmp_path)
    (one,) = interpreter_lock.diagnose(seen(path, "pool", 3, 3 * SECONDS))
    assert '3 threads "pool" wait' in one.message
    assert "each of them was ready to run and waited for 4.0 s" in one.evidence
    assert [*interpreter_lock.diagnose(seen(path, "pool", 3, SECONDS))] == []


def test_less_than_two_seconds_or_a_tenth_of_the_run_is_not_told(tmp_path: Path) -> None:
    assert [*interpreter_lock.diagnose(seen(script(tmp_path), seconds=1.9))] == []


def test_what_few_looks_may_have_met_by_chance_is_not_told(tmp_path: Path) -> None:
    path = script(tmp_path)
    assert [*interpreter_lock.diagnose(seen(path, spread=1.6))] == []
    assert len([*interpreter_lock.diagnose(seen(path, spread=0.5))]) == 1


def test_another_threads_wait_costs_the_run_no_more_than_the_main_one_waits(
    tmp_path: Path,
) -> None:
    path = script(tmp_path)
    observations = seen(path).observations
    (one,) = interpreter_lock.diagnose(
        trace_of(path, observations=observations, waited=1.0, machine={"cores": 4})
    )
    assert one.share == pytest.approx(0.1)


def test_other_cores_must_be_there_to_gain_by_processes(tmp_path: Path) -> None:
    path = script(tmp_path)
    observations = seen(path, MAIN).observations
    (one,) = interpreter_lock.diagnose(
        trace_of(path, observations=observations, machine={"cores": 1})
    )
    assert one.share == 0.0
    assert one.is_note


@contextmanager
def running(work: str, wanted: threading.Event) -> Iterator[int]:
    """A thread that counts, or waits for an event, until it is to end."""
    begun = threading.Event()
    number = 0

    def run() -> None:
        nonlocal number
        number = threading.get_native_id()
        begun.set()
        while work == "counts" and not wanted.is_set():
            sum(range(100))
        wanted.wait()

    thread = threading.Thread(target=run)
    thread.start()
    begun.wait()
    try:
        yield number
    finally:
        wanted.set()
        thread.join()


def asked() -> LockWaits | None:
    try:
        return LockWaits()
    except OSError:
        return None


on_linux = pytest.mark.skipif(asked() is None, reason="the system does not tell who waits")


@pytest.fixture
def waits() -> LockWaits:
    return LockWaits()


def looked_at(waits: LockWaits, native: int) -> Stood:
    """A thread between two looks, between which the one that looks gave the lock away."""
    waits.look([native], 0.0)
    threading.Event().wait(0.05)
    return waits.look([native], 0.0)[native]


@on_linux
def test_a_thread_that_computes_is_seen_to_want_the_lock_while_another_has_it(
    waits: LockWaits,
) -> None:
    with running("counts", threading.Event()) as native:
        # One that is about to wait for it, or has no core, is not asleep either.
        assert not looked_at(waits, native).is_asleep


@on_linux
def test_a_thread_that_waits_for_an_event_is_seen_to_sleep(waits: LockWaits) -> None:
    with running("waits", threading.Event()) as native:
        stood = looked_at(waits, native)
        assert (stood.is_asleep, stood.waits) == (True, False)


@on_linux
def test_where_nobody_computes_no_thread_is_asked(waits: LockWaits) -> None:
    with running("waits", threading.Event()) as native:
        waits.look([native], 0.2)
        threading.Event().wait(0.05)
        assert waits.look([native], 0.2) == {}


@on_linux
def test_a_thread_that_is_gone_is_forgotten(waits: LockWaits) -> None:
    with running("waits", threading.Event()) as native:
        looked_at(waits, native)
    # Python's part of a thread ends before the system's.
    while os.path.exists(f"/proc/self/task/{native}"):
        threading.Event().wait(0.01)
    assert waits.look([native], 0.0) == {}


@pytest.mark.parametrize("machine", ["riscv64", ""])
def test_where_the_system_does_not_tell_nothing_is_watched(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(OSError, match="lock"):
        LockWaits()
