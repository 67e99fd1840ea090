"""What got better and worse from one recording of a program to another."""

from __future__ import annotations

import enum
import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight
from deepperf.dynamic.recorded import Recording
from deepperf.dynamic.recording.trace import Clock, Trace, shown_path
from deepperf.dynamic.report import step_seconds
from deepperf.dynamic.signals import kinds_by_looks, signals

BLOCKS = 20
"""Stretches of steps whose times tell how much a run differs within itself."""
CONFIDENCE = 0.95
SELDOM = 0.01
"""Times per step below which a count is nobody's trouble."""
FEW = 4
"""Times in a run below which the other run may have missed it by chance."""


class Better(enum.Enum):
    """Which way is better."""

    MORE = "more"
    LESS = "less"


@dataclass(frozen=True, slots=True)
class Row:
    """A quantity of both runs. `noise` is half of the interval of the change, None if not known.

    `unit` is "" for what is counted.
    """

    name: str
    before: float
    after: float
    unit: str
    better: Better = Better.LESS
    noise: float | None = None

    @property
    def change(self) -> float:
        """By which part it grew, infinite from nothing."""
        if not self.before:
            return math.inf if self.after else 0.0
        return self.after / self.before - 1

    @property
    def worse(self) -> float:
        """By which part it surely got worse, 0 where it did not."""
        if self.noise == math.inf:
            return 0.0
        grown = self.change
        if self.better is Better.MORE:
            grown = math.inf if not self.after else self.before / self.after - 1
        return max(0.0, grown - (self.noise or 0.0))


def plain(row: Row) -> dict[str, object]:
    """A quantity for other programs; a change that is infinite is none."""
    change = row.change if math.isfinite(row.change) else None
    return {**asdict(row), "better": row.better.value, "change": change}


def compared(before: Recording, after: Recording) -> tuple[Row, ...]:
    """The steps, times, memory, counts and shares of two runs, in that order."""
    one, two = before.trace, after.trace
    rows = [
        *_steps(one, two),
        Row("time of the run", one.work_seconds, two.work_seconds, "s"),
        Row("CPU time", one.cpu_seconds, two.cpu_seconds, "s"),
        Row("most memory held", float(one.peak), float(two.peak), "bytes"),
    ]
    return (*rows, *_counts(one, two), *_shares(before, after))


def failing(rows: tuple[Row, ...], most: float) -> tuple[Row, ...]:
    """The rows that got worse by more than a part. How long a run is, only its steps judge."""
    has_steps = any(row.unit == "/s" for row in rows)
    whole = ("time of the run", "CPU time")
    judged = [row for row in rows if not (has_steps and row.name in whole) and row.unit != "share"]
    felt = [row for row in judged if row.unit or row.after >= SELDOM]
    return tuple(row for row in felt if row.worse > most)


def _steps(one: Trace, two: Trace) -> Iterator[Row]:
    first, second = one.clock, two.clock
    if first is None or second is None or min(step_seconds(one), step_seconds(two)) <= 0:
        return
    rates = 1 / step_seconds(one), 1 / step_seconds(two)
    yield Row("steps", *rates, "/s", Better.MORE, _noise(first, second))


def _noise(first: Clock, second: Clock) -> float | None:
    """Half of the interval of the ratio of step times, from stretches within each run."""
    errors = []
    for clock in (first, second):
        times = [*_block_times(clock)]
        if len(times) < 3:
            return None
        errors.append((statistics.stdev(times) / math.sqrt(len(times)), len(times) - 1))
    from scipy import stats

    freedom = min(number for _, number in errors)
    error = math.hypot(*(one for one, _ in errors))
    return float(math.expm1(stats.t.ppf((1 + CONFIDENCE) / 2, freedom) * error))


def _block_times(clock: Clock) -> Iterator[float]:
    """Logarithms of the time of a step, in stretches of the run."""
    stride = max(1, len(clock.points) // BLOCKS)
    for (steps, seconds, *_), (next_steps, next_seconds, *_) in pairwise(clock.points[::stride]):
        if next_steps > steps and next_seconds > seconds:
            yield math.log((next_seconds - seconds) / (next_steps - steps))


def _counts(one: Trace, two: Trace) -> Iterator[Row]:
    """How often each signal saw what it looks for, and the bytes of it, per step if both step."""
    before, after = (_sums(trace) for trace in (one, two))
    known, by_looks = {signal.NAME for signal in signals()}, kinds_by_looks()
    for kind in sorted(known & {*before, *after}):
        noise = _chance(before[kind][0] * _step_count(one), after[kind][0] * _step_count(two))
        for unit, (old, new) in zip(
            ("", "bytes"), zip(before[kind], after[kind], strict=True), strict=True
        ):
            if old != new:
                name = f"{kind}, {'bytes' if unit else 'count'}"
                is_exact = _step_count(one) == _step_count(two) and kind not in by_looks
                yield Row(name, old, new, unit, noise=None if is_exact else noise)


def _chance(before: float, after: float) -> float:
    """Half of the interval of the ratio of two counts, of runs of which one did more steps, or
    of what is seen by looks at them.

    What is seen now and then, or once per run, is not seen in proportion to the steps.
    """
    if min(before, after) < 1:
        return math.inf if max(before, after) < FEW else 0.0
    from scipy import stats

    error = math.sqrt(1 / before + 1 / after)
    half = float(math.expm1(stats.norm.ppf((1 + CONFIDENCE) / 2) * error))
    return half if half < 1 else math.inf


def _sums(trace: Trace) -> Mapping[str, tuple[float, float]]:
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for entry in trace.observations:
        counts[entry.kind] += entry.count
        sizes[entry.kind] += entry.bytes
    steps = _step_count(trace)
    found = {kind: (counts[kind] / steps, sizes[kind] / steps) for kind in counts}
    return _Zeros(found)


def _step_count(trace: Trace) -> int:
    return trace.clock.count if trace.clock is not None and trace.clock.count > 1 else 1


class _Zeros(dict[str, tuple[float, float]]):
    """Nothing of what is not there."""

    def __missing__(self, key: str) -> tuple[float, float]:
        return 0.0, 0.0


def _shares(before: Recording, after: Recording) -> Iterator[Row]:
    """The share of each finding, by what it is and in which function; lines move."""
    one, two = (_told(recording) for recording in (before, after))
    for name in sorted({*one, *two}, key=lambda name: -max(one.get(name, 0), two.get(name, 0))):
        shares = one.get(name, 0.0), two.get(name, 0.0)
        if max(shares) >= FLOOR:
            yield Row(name, *shares, "share")


def _told(recording: Recording) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for item in recording.told.diagnoses if recording.told else ():
        if item.weight is not Weight.HINT:
            name = _name(recording.trace, item)
            found[name] = found.get(name, 0.0) + item.share
    return found


def _name(trace: Trace, item: Diagnosis) -> str:
    where = shown_path(trace, item.file)
    of = "" if item.weight is Weight.TIME else " (memory)"
    return f"{item.rule or item.signal} in {where} {item.function}{of}"
