"""The memory of the run grows step after step, and nothing that was looked into holds it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Sequence
from types import FrameType

from deepperf.dynamic.diagnosis import Diagnosis, Weight, is_much
from deepperf.dynamic.recording.clock import own_bytes
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.signals import signals

NAME = "unexplained-growth"
BY_LOOKS = True
RULES: tuple[str, ...] = ()
SYMPTOMS = ("memory-leak",)
LOOK_EVERY = 0.1
"""Seconds between two looks at the memory, each of which takes some microseconds."""
MOST_POINTS = 256
"""From there on every other one is dropped, and the next ones come half as often."""
WARM_UP = 1 / 3
"""Part of the steps in which allocators, caches and pools take what they then keep."""
PARTS = 6
"""Parts of the rest of which each has to hold more than the one before at its least: what goes up
and down within steps, and steps of different sizes, do not count."""
FEWEST_LOOKS = 4
"""Looks in each part."""
FEWEST_STEPS = 200
"""Steps after the warm-up: of fewer nobody can say that it goes on."""
AT_ONCE = 0.4
"""Part of the growth that one part may bring: more of it is a buffer that was made once."""
LATE = 0.1
"""Part of it that the last part has to bring: what fills up gets slower."""

Point = Sequence[int]


def watch(tape: Tape) -> None:
    """Look now and then at what the process holds, and how many steps it has made."""
    tape.now_and_then(NAME, _Watch(tape).look)


class _Watch:
    """Runs in the sampler's thread."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._every = LOOK_EVERY
        self._next = 0.0

    def look(self, _frame: FrameType) -> None:
        now = time.perf_counter()
        ticks = self._tape.ticks
        if now < self._next or not ticks:
            return
        self._next = now + self._every
        points = self._tape.detail(NAME, Place("", 0, "")).setdefault("points", [])
        points.append([ticks, own_bytes()])
        if len(points) > MOST_POINTS:
            del points[1::2]
            self._every *= 2


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """That memory grows, where no other signal says why."""
    peak = trace.peak
    for seen in trace.observations:
        if seen.kind != NAME or not peak:
            continue
        points = _after_warm_up(seen.detail.get("points", ()))
        least = _least_of_parts(points)
        if not _grows(least) or points[-1][0] - points[0][0] < FEWEST_STEPS:
            continue
        growth = least[-1] - least[0]
        if is_much(growth, peak) and not _is_explained(trace):
            yield _diagnosis(trace, points, growth)


def _after_warm_up(points: Sequence[Point]) -> Sequence[Point]:
    if not points:
        return ()
    begin = points[0][0] + WARM_UP * (points[-1][0] - points[0][0])
    return [point for point in points if point[0] >= begin and point[1]]


def _least_of_parts(points: Sequence[Point]) -> list[int]:
    """The least that was held in each of equal parts of the steps; none where some are unseen."""
    if len(points) < PARTS * FEWEST_LOOKS:
        return []
    first, steps = points[0][0], points[-1][0] - points[0][0]
    parts: list[list[int]] = [[] for _ in range(PARTS)]
    for ticks, held in points:
        parts[min(PARTS - 1, (ticks - first) * PARTS // max(1, steps))].append(held)
    is_seen = all(len(part) >= FEWEST_LOOKS for part in parts)
    return [min(part) for part in parts] if is_seen else []


def _grows(least: Sequence[int]) -> bool:
    """Whether it grows in each part, neither at once nor ever less."""
    rises = [after - before for before, after in itertools.pairwise(least)]
    growth = sum(rises)
    return (
        bool(rises)
        and min(rises) > 0
        and max(rises) <= AT_ONCE * growth
        and rises[-1] >= LATE * growth
    )


def _is_explained(trace: Trace) -> bool:
    explaining = [signal for signal in signals() if getattr(signal, "EXPLAINS_GROWTH", False)]
    return any(True for signal in explaining for _ in signal.diagnose(trace))


def _diagnosis(trace: Trace, points: Sequence[Point], growth: int) -> Diagnosis:
    steps = points[-1][0] - points[0][0]
    looked = ["lists, dicts and attributes of the program's"]
    if "torch" in trace.versions:
        looked.append("autograd's history")
    if "tensorflow" in trace.versions:
        looked.append("the graph and its traces")
    return Diagnosis(
        signal=NAME,
        cause="inefficient-api-usage",
        file="",
        line=0,
        function="",
        message="memory grows with every step, and nothing that deepperf looked at holds it",
        evidence=(
            f"{growth / 1e6:,.0f} MB more in the last {steps:,} steps, about "
            f"{growth / steps / 1e3:,.1f} kB each and no less at the end; what does not hold it: "
            f"{', '.join(looked)}"
        ),
        remedy=(
            "look for reference cycles, closures, library caches and memory of "
            "extensions: `memray run --native` names what allocates it"
        ),
        weight=Weight.HINT,
    )
