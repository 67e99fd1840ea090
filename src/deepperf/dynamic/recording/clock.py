"""Counts the steps of a run, and keeps a timeline of them that never grows large."""

from __future__ import annotations

import functools
import os
import time

from deepperf.dynamic.recording.trace import Clock, Point

MOST_POINTS = 512
"""Points of a timeline; when there are more, each two neighbours become one."""

READ_EVERY = 0.1
"""Seconds between two looks at the memory, each of which takes some microseconds."""
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class StepClock:
    """Ticks at the end of each step. A tick costs about half a microsecond."""

    __slots__ = (
        "_count",
        "_due",
        "_first",
        "_held",
        "_last",
        "_longest",
        "_name",
        "_points",
        "_read",
        "_start",
        "_stride",
    )

    def __init__(self, name: str, start: float) -> None:
        self._name = name
        self._start = start
        self._count = 0
        self._first = self._last = 0.0
        self._longest = 0.0
        self._held = 0
        self._read = 0.0
        self._points: list[Point] = []
        self._stride = 1
        self._due = 1

    @property
    def count(self) -> int:
        """How many steps have ended."""
        return self._count

    def shift(self, seconds: float) -> None:
        """So much time has passed that is no part of the run."""
        self._start += seconds
        if self._last:
            self._first += seconds
            self._last += seconds

    def tick(self) -> None:
        """A step has ended."""
        now = time.perf_counter()
        self._count += 1
        if self._last:
            seconds = now - self._last
            if seconds > self._longest:
                self._longest = seconds
        else:
            self._first = now
        self._last = now
        if self._count >= self._due:
            self._keep(now)

    def _keep(self, now: float) -> None:
        if now - self._read >= READ_EVERY:
            self._held = resident_bytes()
            self._read = now
        self._points.append((self._count, now - self._start, self._longest, self._held))
        self._longest = 0.0
        if len(self._points) >= MOST_POINTS:
            self._points = halved(self._points)
            self._stride *= 2
        self._due = self._points[-1][0] + self._stride

    def told(self) -> Clock:
        """What is known of the steps so far."""
        return Clock(
            name=self._name,
            count=self._count,
            first=self._first - self._start,
            last=self._last - self._start,
            points=tuple(self._points),
        )


def halved(points: list[Point]) -> list[Point]:
    """Every other point, each with the longest step of the two that it stands for."""
    return [
        (second[0], second[1], max(first[2], second[2]), second[3])
        for first, second in zip(points[::2], points[1::2], strict=False)
    ]


def resident_bytes() -> int:
    """The resident memory of this process, 0 where the system does not tell."""
    file = _memory_file(os.getpid())
    try:
        return int(os.pread(file, 64, 0).split()[1]) * PAGE if file is not None else 0
    except (OSError, ValueError, IndexError):
        return 0


def own_bytes() -> int:
    """The same without files that are mapped: what the process alone has written."""
    file = _memory_file(os.getpid())
    try:
        words = os.pread(file, 64, 0).split() if file is not None else [b"0"] * 3
        return (int(words[1]) - int(words[2])) * PAGE
    except (OSError, ValueError, IndexError):
        return 0


@functools.cache
def _memory_file(_process: int) -> int | None:
    """Kept open: to open it takes longer than to read it. A forked child has its own."""
    try:
        return os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return None


def seconds_without_core(thread: int) -> float:
    """How long a thread (its native id) was ready to run while others had all cores.

    0 where the system does not tell.
    """
    file = _schedule_file(os.getpid(), thread)
    try:
        return int(os.pread(file, 96, 0).split()[1]) / 1e9 if file is not None else 0.0
    except (OSError, ValueError, IndexError):
        return 0.0


@functools.lru_cache(maxsize=4)
def _schedule_file(_process: int, thread: int) -> int | None:
    """Kept open, too."""
    try:
        return os.open(f"/proc/self/task/{thread}/schedstat", os.O_RDONLY)
    except OSError:
        return None


def clock_of(thread: int) -> int | None:
    """The clock of a thread that is alive; None where there are none."""
    return time.pthread_getcpuclockid(thread) if hasattr(time, "pthread_getcpuclockid") else None
