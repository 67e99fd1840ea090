"""When a device had nothing to do, and what the program did meanwhile; of times alone."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Interval = tuple[float, float]
"""From when to when, in seconds."""
SHORT = 1e-4
"""Seconds of a gap below which the device waits for the launch of what comes next: to launch takes
some ten microseconds."""
JUST_AFTER = 5e-5
"""Seconds between the end of a wait for the device and what the wait made it idle for."""

Spot = TypeVar("Spot")


@dataclass(slots=True)
class Idle(Generic[Spot]):
    """How long a device was idle while the program was at one spot: after it had waited for the
    device, between short operations that follow each other, and otherwise."""

    spot: Spot
    waited: float = 0.0
    launching: float = 0.0
    elsewhere: float = 0.0
    gaps: set[int] = field(default_factory=set)

    @property
    def seconds(self) -> float:
        return self.waited + self.launching + self.elsewhere


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """The same time as intervals that do not meet."""
    found: list[Interval] = []
    for begin, end in sorted(intervals):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found


def gaps_of(busy: Sequence[Interval], whole: Interval) -> list[Interval]:
    """What of the whole lies between intervals that do not meet."""
    edges = [whole[0], *(edge for one in busy for edge in one), whole[1]]
    clipped = [min(max(edge, whole[0]), whole[1]) for edge in edges]
    pairs = zip(clipped[::2], clipped[1::2], strict=True)
    return [(begin, end) for begin, end in pairs if end > begin]


def idle_at(
    gaps: Sequence[Interval], looks: Sequence[tuple[float, Spot]], waits: Sequence[Interval]
) -> list[Idle[Spot]]:
    """What each spot's part of the gaps is, the largest first.

    `looks` say in order of time where the program was, `waits` when it waited for the device.
    """
    if not looks:
        return []
    times = [at for at, _ in looks]
    ends = sorted(end for _, end in waits)
    found: dict[Spot, Idle[Spot]] = {}
    for number, (begin, end) in enumerate(gaps):
        first, last = bisect.bisect_left(times, begin), bisect.bisect_left(times, end)
        # Where nobody looked meanwhile it was where it was last seen.
        seen = looks[first:last] or [looks[max(0, first - 1)]]
        part = (end - begin) / len(seen)
        at = bisect.bisect_left(ends, begin - JUST_AFTER)
        is_after_wait = at < len(ends) and ends[at] <= begin + JUST_AFTER
        for _, spot in seen:
            idle = found.setdefault(spot, Idle(spot))
            idle.gaps.add(number)
            if is_after_wait:
                idle.waited += part
            elif end - begin < SHORT:
                idle.launching += part
            else:
                idle.elsewhere += part
    return sorted(found.values(), key=lambda idle: -idle.seconds)
