"""What recording costs: kept small where it can be large, and told as it is."""

from __future__ import annotations

import functools
import itertools
import threading
import time

SHARE = 0.02
"""Part of the processor's time so far that heavier looks may take, all signals together: with what
is always on, recording stays below 5 %."""
FIRST = 0.1
"""Seconds that they have in any case: a tenth of what importing a framework takes."""
TIMED = 61
"""Calls of which one is timed, and stands for all: to read the clock takes as long as a tick. What
is done every second time, or every fourth, is met as often as it is done."""
READINGS = 20
UNTIMED = 5e-6
"""Seconds of one of them where none was timed."""


class Budget:
    """What heavier looks may cost: modes, callbacks, anything that makes each operation slower.

    Who opens one asks `is_left` before and again now and then, and ends it where nothing is;
    whatever it costs is charged. `spent` is in seconds. While it is closed nothing is left, and
    it does not grow. `measured` is the part that was spent in `thread`, whose time is measured.
    """

    def __init__(self) -> None:
        self.spent = 0.0
        self.measured = 0.0
        self.thread: int | None = None
        self._granted = FIRST
        self._opened: float | None = 0.0

    def charge(self, seconds: float) -> None:
        """A look has cost so much."""
        self.spent += seconds

    def grant(self, seconds: float) -> None:
        """Let so much more be spent."""
        self._granted += seconds

    @property
    def is_open(self) -> bool:
        """Whether looks are granted at all."""
        return self._opened is not None

    def is_left(self) -> bool:
        """Whether another look may begin, or this one go on."""
        return self.is_open and self.spent < self._granted + self._grown()

    def close(self) -> None:
        """Grant nothing until `open`."""
        self._granted += self._grown()
        self._opened = None

    def open(self) -> None:
        """Grant looks again."""
        if self._opened is None:
            self._opened = time.process_time()

    def _grown(self) -> float:
        return 0.0 if self._opened is None else SHARE * (time.process_time() - self._opened)


class Purse:
    """The first `seconds` of looks that others would leave nothing for; then the budget of all."""

    def __init__(self, budget: Budget, seconds: float) -> None:
        self._budget = budget
        self._left = seconds

    def charge(self, seconds: float) -> None:
        """A look has cost so much."""
        own = min(seconds, self._left)
        self._left -= own
        self._budget.grant(own)
        self._budget.charge(seconds)
        if threading.get_ident() == self._budget.thread:
            self._budget.measured += seconds

    def is_left(self) -> bool:
        """Whether another look may begin."""
        return self._budget.is_open and (self._left > 0.0 or self._budget.is_left())


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
        return 0.0 if self._calls % TIMED else time.thread_time()

    def end(self, begin: float) -> None:
        """What began then is done."""
        took = time.thread_time() - begin
        self._seconds += max(0.0, took - _reading())
        self._timed += 1

    @property
    def seconds(self) -> float:
        """What all calls took, as far as those that were timed tell."""
        return self._calls * (self._seconds / self._timed if self._timed else UNTIMED)


@functools.cache
def _reading() -> float:
    """Seconds that reading the clock adds to what is timed: more than a short note takes."""
    read = [time.thread_time() for _ in range(READINGS)]
    return min(later - earlier for earlier, later in itertools.pairwise(read))
