"""How much worse the bad side is, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from deepperf.rules.evidence import Comparison

CONFIDENCE = 0.95
EXACT = "exact: every process gave the same"
SINGLE = "one process per side: nothing is known of the noise"
PAIRED_T = "Student's t on the logarithms of the ratios of processes run in turn"


def compare(bad: Sequence[float], good: Sequence[float]) -> Comparison:
    """The ratio of `bad` to `good`, where `bad[i]` ran next to `good[i]`.

    Processes that ran side by side saw the same noise, so each ratio is taken on its own, and
    the interval is that of their geometric mean. Raises ValueError on values below 0, on lists
    of different lengths, and on none.
    """
    if len(bad) != len(good) or not bad:
        raise ValueError(f"{len(bad)} values of the bad side and {len(good)} of the good one")
    if min(*bad, *good) < 0:
        raise ValueError("a cost below 0")
    if min(good) == 0 or min(bad) == 0:
        ratio = None if min(good) == 0 else 0.0
        return Comparison(ratio, ratio, ratio, 1.0, EXACT)
    if len(set(bad)) == len(set(good)) == 1:
        ratio = bad[0] / good[0]
        method = EXACT if len(bad) > 1 else SINGLE
        return Comparison(ratio, ratio, ratio, 1.0, method)
    logarithms = [math.log(one / other) for one, other in zip(bad, good, strict=True)]
    mean = math.fsum(logarithms) / len(logarithms)
    from scipy import stats

    interval = stats.ttest_1samp(logarithms, 0.0).confidence_interval(CONFIDENCE)
    low, high = math.exp(interval.low), math.exp(interval.high)
    return Comparison(math.exp(mean), low, high, CONFIDENCE, PAIRED_T)
