"""What becomes of processes that die, hang or grow."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scan.builders import result

from deepperf.scan import child
from deepperf.scan.package import Limits, Package, Scanned, State, Tree
from deepperf.scan.trying import tried

PACKAGE = Package("flowers", "1.0", "")
LIMITS = Limits(seconds=30)


Told = Callable[[Tree], None]


def done(package: Package, gathered: Told) -> Scanned:
    gathered(Tree("digest", lines=7))
    return result((), package.name, package.version)


def kill_itself(package: Package, gathered: Told) -> Scanned:
    result = done(package, gathered)
    os.kill(os.getpid(), signal.SIGKILL)
    return result


def compute_for_ever(package: Package, gathered: Told) -> Scanned:
    while True:
        pass


def hang(package: Package, gathered: Told) -> Scanned:
    time.sleep(600)
    return done(package, gathered)


def grow(package: Package, gathered: Told) -> Scanned:
    return replace(done(package, gathered), message=str(len(bytearray(8 * 1024**3))))


def fail(package: Package, gathered: Told) -> Scanned:
    raise RuntimeError("a bug of ours")


@pytest.mark.parametrize(
    ("work", "limits", "state", "message"),
    [
        (done, LIMITS, State.DONE, ""),
        (kill_itself, LIMITS, State.KILLED, "killed by signal 9"),
        (compute_for_ever, Limits(seconds=0.1), State.SLOW, "more than 0.1 s of CPU time"),
        (hang, Limits(seconds=0.1, patience=3), State.SLOW, "more than 0.3 s"),
        (grow, LIMITS, State.LARGE, "more than 3,072 MiB"),
        (fail, LIMITS, State.KILLED, "ended with exit code 1"),
    ],
)
def test_each_ending_is_told(
    monkeypatch: pytest.MonkeyPatch, work: object, limits: Limits, state: State, message: str
) -> None:
    monkeypatch.setattr(child, "scan", work)

    scanned = child._in_process(PACKAGE, limits)

    assert (scanned.state, scanned.message) == (state, message)
    assert scanned.spent.peak > 0


def test_what_was_looked_at_is_known_though_the_process_was_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "scan", kill_itself)

    assert child._in_process(PACKAGE, LIMITS).tree.lines == 7


def test_what_was_killed_is_tried_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"

    def die_once(package: Package, gathered: Told) -> Scanned:
        if not seen.exists():
            seen.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return done(package, gathered)

    monkeypatch.setattr(child, "scan", die_once)

    scanned = tried(PACKAGE, lambda one: child._in_process(one, LIMITS))

    assert (scanned.state, scanned.spent.tries) == (State.DONE, 2)


@pytest.mark.parametrize(("state", "tries"), [(State.KILLED, 2), (State.SLOW, 1), (State.LARGE, 1)])
def test_limits_are_not_met_twice(state: State, tries: int) -> None:
    attempts = []

    def attempt(package: Package) -> Scanned:
        attempts.append(package)
        return result(state=state)

    assert tried(PACKAGE, attempt).state is state
    assert len(attempts) == tries
