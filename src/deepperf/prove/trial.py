"""When enough was measured, and what it says: a sequential test with a bound on false wins.

A pair is the unchanged program and a changed one, run right behind each other. Of the logarithms
of their ratios, Student's t asks after each of `LOOKS` pairs whether they are above 0. The
allowance for error is shared out equally among these looks, and among all candidates by how likely
each is to help, which is said before anything is measured. So over all of them together the chance
of one false win is at most `FALSE_WINS`, and what is faster has an interval above 0. To give up
early costs no error. Of what is not faster the same pairs are asked whether it needs less memory,
for which a part of the allowance is kept. Where the pace of steps is compared, another part is kept
for whole runs, which are asked where the steps differ too little.

A few pairs may agree by chance where times come in two or three clusters, as on a processor that
changes its frequency. So the pairs of one change are never taken for less noisy than those of all
changes together.
"""

from __future__ import annotations

import enum
import functools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

FALSE_WINS = 0.05
LOOKS = (4, 7, 11, 16)
"""Numbers of pairs after which to decide."""
LEAST_GAIN = 0.02
"""Part of the time that has to be saved: what is less, is lost in the noise of most machines."""
LEAST_MEMORY = 0.05
"""Part of the peak of memory that has to be saved where no time is."""
FOR_MEMORY = 0.2
"""Part of the allowance that is kept for memory, of which runs differ little."""
FOR_WHOLE = 0.2
"""Part that is kept for whole runs where steps decide."""
CONFIDENCE = 0.95
GIVE_UP = 0.05
"""Chance, at each look, of giving up on a true gain that is just large enough."""
HOPEFUL = 0.2
"""Chance of going on, at each look, with what saves nothing in its steps nor in whole runs."""


class Answer(enum.Enum):
    """What became of a candidate."""

    FASTER = "faster"
    LEANER = "less memory"
    NO_DIFFERENCE = "no difference"
    SLOWER = "slower"
    CHANGES_RESULTS = "changes results"
    NOT_TRIED = "could not be tried"


PROVEN = (Answer.FASTER, Answer.LEANER)


@dataclass(frozen=True, slots=True)
class Gain:
    """The part of the time or memory that is saved, negative where more is needed, and an interval.

    The interval holds whichever look it was taken at.
    """

    saved: float
    low: float
    high: float
    pairs: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Pairs of costs, and what `noise_of` says of such."""

    before: Sequence[float]
    after: Sequence[float]
    noise: float = 0.0


def decided(
    before: Sequence[float],
    after: Sequence[float],
    candidates: float,
    noise: float = 0.0,
    part: float = 1 - FOR_MEMORY,
) -> tuple[Answer, Gain] | None:
    """What pairs of costs say; None where more pairs are needed.

    Only at `LOOKS` anything is decided, at the last one always. `candidates` are all that are
    tried in the same session, `noise` is what `noise_of` says, `part` is that of the allowance for
    false wins.
    """
    number = len(before)
    if number not in LOOKS:
        return None
    logs = logs_of(before, after)
    gain = gain_of(logs, noise)
    # Where few are tried the allowance is larger than what the interval leaves on one side.
    level = min(part * FALSE_WINS / candidates, (1 - CONFIDENCE) / 2)
    low, high = _bounds(logs, noise, level / len(LOOKS))
    if low > 0 and gain.saved >= LEAST_GAIN:
        return Answer.FASTER, gain
    if high < 0 and gain.saved <= -LEAST_GAIN:
        return Answer.SLOWER, gain
    if number == LOOKS[-1] or _bounds(logs, noise, GIVE_UP)[1] < -math.log1p(-LEAST_GAIN):
        return Answer.NO_DIFFERENCE, gain
    return None


def decided_by_pace(
    pace: Sample, whole: Sample, candidates: float
) -> tuple[Answer, Gain, Sample] | None:
    """What steps say and, where they say no more, whole runs of the same pairs; which it was.

    None where more pairs are needed.
    """
    left = 1 - FOR_MEMORY - FOR_WHOLE
    found = decided(pace.before, pace.after, candidates, pace.noise, left)
    if found is None or found[0] is not Answer.NO_DIFFERENCE:
        return None if found is None else (*found, pace)
    other = decided(whole.before, whole.after, candidates, whole.noise, FOR_WHOLE)
    if other is not None and other[0] is Answer.FASTER and found[1].saved > -LEAST_GAIN:
        return (*other, whole)
    logs = logs_of(whole.before, whole.after)
    gain = gain_of(logs).saved
    is_hopeful = gain >= LEAST_GAIN and _bounds(logs, whole.noise, HOPEFUL)[0] > 0
    return None if is_hopeful and len(logs) < LOOKS[-1] else (*found, pace)


def leaner(before: Sequence[float], after: Sequence[float], candidates: float) -> Gain | None:
    """What pairs of peaks say of memory that is saved; None where that is not sure, or little."""
    logs = logs_of(before, after)
    gain = gain_of(logs)
    level = FOR_MEMORY * FALSE_WINS / candidates / len(LOOKS)
    sure = _bounds(logs, 0.0, level)[0] > 0
    return gain if sure and gain.saved >= LEAST_MEMORY else None


def logs_of(before: Sequence[float], after: Sequence[float]) -> list[float]:
    """The logarithms of how many times the cost before is the one after, pair by pair."""
    return [math.log(one / two) for one, two in zip(before, after, strict=True)]


def noise_of(groups: Sequence[Sequence[float]]) -> float:
    """The spread of the logarithms of several changes, each around its own mean, taken together.

    0 where no change has two.
    """
    means = [(group, statistics.fmean(group)) for group in groups if len(group) > 1]
    freedom = sum(len(group) - 1 for group, _ in means)
    squares = math.fsum((one - mean) ** 2 for group, mean in means for one in group)
    return math.sqrt(squares / freedom) if freedom else 0.0


def gain_of(logs: Sequence[float], noise: float = 0.0) -> Gain:
    """The gain that logarithms of ratios tell."""
    low, high = _bounds(logs, noise, (1 - CONFIDENCE) / 2 / len(LOOKS))
    return Gain(_saved(statistics.fmean(logs)), _saved(low), _saved(high), len(logs))


def _saved(log: float) -> float:
    return -math.expm1(-log)


def _bounds(logs: Sequence[float], noise: float, level: float) -> tuple[float, float]:
    """Bounds of the mean, each of which is passed by chance in a part `level` of all cases."""
    if len(logs) < 2:
        return -math.inf, math.inf
    mean = statistics.fmean(logs)
    error = max(statistics.stdev(logs), noise) / math.sqrt(len(logs))
    room = _quantile(1 - level, len(logs) - 1) * error
    return mean - room, mean + room


@functools.cache
def _quantile(part: float, freedom: int) -> float:
    from scipy import stats

    return float(stats.t.ppf(part, freedom))
