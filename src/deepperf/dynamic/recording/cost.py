"""What recording costs: kept small where it can be large, and told as it is."""

from __future__ import annotations

import functools
import itertools
import threading
import time
from collections.abc import Callable
from typing import TypeVar

EARLY = 10.0
"""Seconds of the processor's time that are a program's beginning."""
EARLY_SHARE = 0.04
"""Part of the beginning that heavier looks may take, all signals together."""
SHARE = 0.004
"""The same of what follows: by then most is known, and a step of 5 ms is to cost 1 % more at most
with what is always on."""
FIRST = 0.25
"""Seconds that they have in any case: a fifth of what importing a framework takes."""
TIMED = 61
"""Calls of which one is timed, and stands for all: to read the clock takes as long as a tick. What
is done every second time, or every fourth, is met as often as it is done."""
READINGS = 20
UNTIMED = 5e-6
"""Seconds of one of them where none was timed."""

Answer = TypeVar("Answer")


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
        self._watched = 0.0
        self._opened: float | None = 0.0

    def begin_again(self) -> None:
        """In a forked child, whose clock begins with it; what a program looks like, its parent has
        seen."""
        self.spent = self.measured = self._watched = self._granted = 0.0
        self._opened = 0.0

    def charge(self, seconds: float) -> None:
        """A look has cost so much, or less than was charged for it."""
        self.spent += seconds

    def grant(self, seconds: float) -> None:
        """Let so much more be spent."""
        self._granted += seconds

    @property
    def is_open(self) -> bool:
        """Whether looks are granted at all."""
        return self._opened is not None

    @property
    def is_early(self) -> bool:
        """Whether the program has just begun."""
        return self._seconds() < EARLY

    def is_left(self, reserve: float = 0.0) -> bool:
        """Whether another look may begin, or this one go on: whether more is left than a reserve.

        What has cost too much puts off what comes next.
        """
        return self.is_open and self.spent + reserve < self._granted + _earned(self._seconds())

    def close(self) -> None:
        """Grant nothing until `open`."""
        self._watched = self._seconds()
        self._opened = None

    def open(self) -> None:
        """Grant looks again."""
        if self._opened is None:
            self._opened = time.process_time()

    def _seconds(self) -> float:
        """What the process had of the processor while this was open."""
        since = 0.0 if self._opened is None else time.process_time() - self._opened
        return self._watched + since


def _earned(seconds: float) -> float:
    return EARLY_SHARE * min(seconds, EARLY) + SHARE * max(0.0, seconds - EARLY)


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


class Own:
    """What is done by ourselves, in any thread, and timed: `seconds` of it so far, where what is
    done within something else is told once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._thread = _Within()

    def timed(self, work: Callable[[], Answer]) -> Answer:
        """Do something, and time it."""
        mine = self._thread
        outer, mine.seconds = mine.seconds, 0.0
        begin = time.thread_time()
        try:
            return work()
        finally:
            took = time.thread_time() - begin
            self.seconds += max(0.0, took - mine.seconds)
            mine.seconds = outer + took


class _Within(threading.local):
    """What a thread has timed within what it is now at."""

    seconds = 0.0


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
        self._seconds += max(0.0, took - reading())
        self._timed += 1

    @property
    def seconds(self) -> float:
        """What all calls took, as far as those that were timed tell."""
        return self._calls * (self._seconds / self._timed if self._timed else UNTIMED)


@functools.cache
def reading() -> float:
    """Seconds that reading the clock adds to what is timed: more than a short note takes."""
    read = [time.thread_time() for _ in range(READINGS)]
    return min(later - earlier for earlier, later in itertools.pairwise(read))
