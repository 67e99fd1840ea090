"""Which part of a run is watched: from when on, until when, for how long."""

from __future__ import annotations

import atexit
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from deepperf.dynamic.recording.forking import THREADS
from deepperf.dynamic.recording.tape import Tape

START, STOP, LENGTH = "DEEPPERF_START_AFTER", "DEEPPERF_STOP_AFTER", "DEEPPERF_FOR"
"""The variables of the environment that say so, for all processes of a run."""
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
EXTENT = re.compile(r"(\d+(?:\.\d+)?)([smh])|(\d+)")
LONGEST_SLEEP = 1.0


@dataclass(frozen=True, slots=True)
class Extent:
    """So many seconds, or so many steps."""

    seconds: float = math.inf
    steps: float = math.inf

    @property
    def is_endless(self) -> bool:
        return self == Extent()


def extent_of(text: str) -> Extent:
    """What "60s", "5m", "1.5h", or a number of steps says. Raises ValueError."""
    found = EXTENT.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is neither a time such as 60s or 5m nor a number of steps")
    time_told, unit, steps = found.groups()
    return Extent(steps=int(steps)) if steps else Extent(seconds=float(time_told) * UNITS[unit])


def watch_only(tape: Tape, told: Mapping[str, str]) -> None:
    """Let a tape that has just started take notes of that part alone that `told` says."""
    start, stop, length = (
        extent_of(told[name]) if told.get(name) else Extent() for name in (START, STOP, LENGTH)
    )
    if start.is_endless and stop.is_endless and length.is_endless:
        return
    span = _Span(tape, start, stop, length)
    tape.at_ticks(span.tick)
    # Registered last, so run first.
    atexit.register(tape.take_last_notes)
    threading.Thread(target=span.follow, name=f"{THREADS} span", daemon=True).start()


class _Span:
    def __init__(self, tape: Tape, start: Extent, stop: Extent, length: Extent) -> None:
        self._tape = tape
        self._start, self._stop, self._length = start, stop, length
        self._steps: Counter[str] = Counter()
        self._began = time.perf_counter()
        self._watched_from: tuple[float, float] | None = 0.0, 0.0
        self._is_over = False
        self._lock = threading.Lock()
        if not start.is_endless:
            self._watched_from = None
            tape.pause()

    def tick(self, clock: str) -> None:
        """A step has ended; called by what makes it."""
        self._steps[clock] += 1
        self._look()

    def follow(self) -> None:
        """See to what the time says."""
        while not self._is_over:
            time.sleep(min(LONGEST_SLEEP, max(0.001, self._left())))
            self._look()

    def _left(self) -> float:
        passed = time.perf_counter() - self._began
        if self._watched_from is None:
            return self._start.seconds - passed
        return min(self._stop.seconds, self._watched_from[0] + self._length.seconds) - passed

    def _look(self) -> None:
        with self._lock:
            passed = time.perf_counter() - self._began
            steps = max(self._steps.values(), default=0)
            since = self._watched_from
            if self._is_over:
                return
            if since is None and _is_reached(self._start, passed, steps):
                self._watched_from = passed, steps
                self._tape.resume()
            is_stopped = _is_reached(self._stop, passed, steps)
            if is_stopped or (
                since is not None and _is_reached(self._length, passed - since[0], steps - since[1])
            ):
                self._is_over = True
                self._tape.pause()
                self._tape.write("running")


def _is_reached(extent: Extent, seconds: float, steps: float) -> bool:
    return seconds >= extent.seconds or steps >= extent.steps
