"""What recording costs: kept small where it can be large, and told as it is."""

from __future__ import annotations

import time
from collections.abc import Callable

SHARE = 0.02
"""Part of the processor's time so far that heavier looks may take, all signals together: with what
is always on, recording stays below 5 %."""
FIRST = 0.1
"""Seconds of it that they have in any case: a tenth of what importing a framework takes."""
TIMED = 64
"""Calls of which one is timed, and stands for all: to read the clock takes as long as a tick."""


class Budget:
    """What heavier looks may cost: modes, callbacks, anything that makes each operation slower.

    Who opens one asks `is_left` before and again now and then, and closes it where nothing is;
    whatever it costs is charged. `spent` and the processor's time `used` are in seconds.
    """

    def __init__(self, used: Callable[[], float]) -> None:
        self.spent = 0.0
        self.is_closed = False
        self._used = used

    def charge(self, seconds: float) -> None:
        """A look has cost so much."""
        self.spent += seconds

    def is_left(self) -> bool:
        """Whether another look may begin, or this one go on."""
        return not self.is_closed and self.spent < FIRST + SHARE * self._used()


class Toll:
    """The cost of something small that is done often."""

    __slots__ = ("_calls", "_seconds", "_timed")

    def __init__(self) -> None:
        self._calls = 0
        self._timed = 0
        self._seconds = 0.0

    def begin(self) -> float:
        """To be given to `end`, where it is not 0."""
        self._calls += 1
        return time.thread_time() if self._calls % TIMED == 1 else 0.0

    def end(self, begin: float) -> None:
        """What began then is done."""
        self._seconds += time.thread_time() - begin
        self._timed += 1

    @property
    def seconds(self) -> float:
        """What all calls took, as far as those that were timed tell."""
        return self._seconds / self._timed * self._calls if self._timed else 0.0
