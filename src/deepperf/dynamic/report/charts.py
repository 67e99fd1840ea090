"""Lines over the time of a run, as points in a drawing of a fixed size."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from deepperf.dynamic.recording.trace import Clock, Observation, Point, Trace
from deepperf.dynamic.report import duration, size

WIDTH, HEIGHT = 720, 150
MOST_BARS = 180
"""Stretches of steps that are drawn: each is some pixels wide."""
NICE = (1, 2, 5)
HOLDERS = "memory-growth"
"""The kind of what is noted of containers."""
MOST_HOLDERS = 4
FollowedPoint = tuple[int, int, int, int, float]
"""Steps, arrays, their bytes, the memory of the process, and seconds since the run began."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A line across a chart: where it is, and what it stands for."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch of steps: its mean step from `y` down, its longest at `longest`."""

    x: float
    y: float
    longest: float
    width: float
    said: str


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a run over its time, on a logarithmic scale."""

    title: str
    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    times: tuple[Tick, ...]


@dataclass(frozen=True, slots=True)
class Holder:
    """A container of the program's, and the bytes of arrays that it held at some times."""

    name: str
    points: tuple[tuple[float, int], ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of a run over its time: an area, from nothing up; and lines of what containers
    held of it, by name."""

    points: str
    ticks: tuple[Tick, ...]
    times: tuple[Tick, ...]
    said: str
    holders: tuple[tuple[str, str], ...] = ()


def steps_of(trace: Trace) -> Steps | None:
    """The steps that the clock told; None where there were too few to show."""
    clock = trace.clock
    spans = list(_spans(clock)) if clock is not None else []
    if clock is None or len(spans) < 2:
        return None
    seconds = [span[2] for span in spans] + [span[3] for span in spans]
    low = 10 ** math.floor(math.log10(max(min(seconds), 1e-6)))
    high = 10 ** math.ceil(math.log10(max(*seconds, low * 10)))

    def up(value: float) -> float:
        share = math.log(max(value, low) / low) / math.log(high / low)
        return HEIGHT * (1 - share)

    bars = tuple(
        Bar(
            x=_across(start, trace),
            y=up(mean),
            longest=up(longest),
            width=max(1.0, _across(end, trace) - _across(start, trace) - 0.5),
            said=f"{what}: {duration(mean)}"
            + (f", the longest {duration(longest)}" if longest > 1.05 * mean else ""),
        )
        for start, end, mean, longest, what in spans
    )
    decades = range(round(math.log10(low)), round(math.log10(high)) + 1)
    ticks = tuple(Tick(up(10.0**power), duration(10.0**power)) for power in decades)
    title = f"{clock.count:,} {clock.name}"
    return Steps(title, bars, ticks, _times(trace))


def memory_of(trace: Trace) -> Memory | None:
    """The memory that was seen held; None where the system did not tell."""
    clock = trace.clock
    held = list(trace.memory)
    per_step = [] if clock is None else [point for point in clock.points if point[3]]
    held += [(at, count) for _, at, _, count in per_step]
    held.sort()
    if len(held) < 2:
        return None
    top = _nice_above(max(count for _, count in held))
    placed = [f"{_across(at, trace):.1f},{HEIGHT * (1 - count / top):.1f}" for at, count in held]
    first, last = placed[0].partition(",")[0], placed[-1].partition(",")[0]
    points = f"{first},{HEIGHT} {' '.join(placed)} {last},{HEIGHT}"
    ticks = tuple(Tick(HEIGHT * (1 - part), size(top * part)) for part in (0.0, 0.5, 1.0))
    holders = tuple((one.name, _line(trace, one, top)) for one in holders_of(trace))
    return Memory(points, ticks, _times(trace), _growth(clock, per_step), holders)


def holders_of(trace: Trace) -> tuple[Holder, ...]:
    """The containers that held most, of those that were followed."""
    found = []
    for seen in trace.observations:
        points = _points_of(seen) if seen.kind == HOLDERS else []
        if len(points) > 1:
            timed = tuple((at, size) for _, _, size, _, at in points)
            found.append(Holder(seen.function.strip() or "a container", timed))
    found.sort(key=lambda one: -max(size for _, size in one.points))
    return tuple(found[:MOST_HOLDERS])


def _points_of(seen: Observation) -> list[FollowedPoint]:
    """What a recording may hold of a container, whoever has written it."""
    try:
        return msgspec.convert(seen.detail.get("points", []), list[FollowedPoint])
    except msgspec.ValidationError:
        return []


def _line(trace: Trace, holder: Holder, top: float) -> str:
    placed = (
        (_across(at, trace), HEIGHT * (1 - min(1.0, held / top))) for at, held in holder.points
    )
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)


def _spans(clock: Clock) -> Iterator[tuple[float, float, float, float, str]]:
    """Begin, end, mean and longest step of stretches of steps, and which steps they are."""
    points = clock.points
    every = max(1, -(-len(points) // MOST_BARS))
    kept = sorted({*range(0, len(points), every), len(points) - 1} - {-1})
    for first, last in itertools.pairwise(kept):
        before, after = points[first], points[last]
        number = after[0] - before[0]
        if number <= 0 or after[1] <= before[1]:
            continue
        mean = (after[1] - before[1]) / number
        between = [point[2] for point in points[first + 1 : last + 1]]
        which = f"step {after[0]:,}" if number == 1 else f"steps {before[0] + 1:,} to {after[0]:,}"
        yield before[1], after[1], mean, max(mean, *between), which


def _growth(clock: Clock | None, points: Sequence[Point]) -> str:
    """What memory did over the second half of the steps, when everything was warm."""
    if clock is None or len(points) < 8:
        return ""
    first, last = points[len(points) // 2], points[-1]
    return f"{size(first[3])} at step {first[0]:,}, {size(last[3])} at step {last[0]:,}"


def _across(at: float, trace: Trace) -> float:
    return WIDTH * max(0.0, at) / max(trace.seconds, at, 1e-9)


def _times(trace: Trace) -> tuple[Tick, ...]:
    """Some round times, from left to right."""
    if trace.seconds <= 0:
        return ()
    step = _nice_above(trace.seconds / 6)
    number = int(trace.seconds / step)
    return tuple(Tick(_across(step * n, trace), duration(step * n)) for n in range(1, number + 1))


def _nice_above(value: float) -> float:
    """The next of 1, 2, 5, 10, … that is no less."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next((n * power for n in NICE if n * power >= value), 10 * power)
